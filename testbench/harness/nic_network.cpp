#include "testbench/harness/nic_network.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "modules/base/random.h"

namespace tributary {

class NicNetwork::Node : public ScheduleHost {
 public:
  Node(NicNetwork& network, const ScheduleEngine::Config& config)
      : reduction(config.params.reduction, config.params.clock),
        dma(config.params.memory),
        engine(config, *this, reduction, dma),
        network_(network) {
    ProbeDirectory directory;
    engine.describe(directory, "");
    directory.for_each<SignalProbe>([this](const std::string& name, SignalProbe& probe) {
      if (name == "step")
        probe.attach(this, [](void* self, Tick t, std::uint64_t s) { static_cast<Node*>(self)->steps.push_back({t, s}); });
    });
    node_ = config.node;
  }
  void send(const ScheduleEntry& e, const DmaReader::Burst& burst, Tick now) override {
    if (e.op == ScheduleEntry::Op::reduce) return network_.send(node_, e.parent, e, burst, now);
    for (const std::uint16_t child : e.children)
      if (child != ScheduleEntry::nil) network_.send(node_, child, e, burst, now);
  }
  void operation_done(Tick when) override { done = when; }

  ReductionUnit reduction;
  DmaReader dma;
  ScheduleEngine engine;
  Tick done = never;
  std::vector<Step> steps;

 private:
  NicNetwork& network_;
  std::uint16_t node_ = 0;
};

NicNetwork::NicNetwork(const Config& config, std::vector<NicOperation> operations)
    : config_(config),
      segmentation_(config.nic.flow_control),
      values_(operations.size()),
      link_free_(operations.size(), std::vector<Tick>(operations.size(), 0)) {
  for (std::size_t n = 0; n < operations.size(); ++n) {
    ScheduleEngine::Config nic_config = config.nic;
    nic_config.node = static_cast<std::uint16_t>(n);
    nodes_.push_back(std::make_unique<Node>(*this, nic_config));
    nodes_.back()->engine.post(std::move(operations[n]), 0);
    values_[n].assign(operations.size(), std::uint64_t{1} << n);
  }
}

NicNetwork::~NicNetwork() = default;

ScheduleEngine& NicNetwork::nic(std::size_t node) { return nodes_[node]->engine; }
const ReductionUnit& NicNetwork::reduction(std::size_t node) const { return nodes_[node]->reduction; }
const std::vector<NicNetwork::Step>& NicNetwork::steps(std::size_t node) const { return nodes_[node]->steps; }

void NicNetwork::send(std::uint16_t from, std::uint16_t to, const ScheduleEntry& e, const DmaReader::Burst& burst,
                      Tick now) {
  const Tick flit = 16'000'000'000'000ull / config_.nic.link_rate.value;
  Tick& free = link_free_[from][to];
  if (config_.serialise && free > burst.first) ++queued_;
  const Tick start = std::max(burst.first, free);
  if (config_.serialise) free = std::max(start + segmentation_.flits(e.bytes) * flit, burst.last);
  const std::uint64_t id =
      (std::uint64_t{e.flow} << 32 | std::uint64_t{from} << 16 | to) * 2 + (e.op != ScheduleEntry::Op::reduce);
  const Tick jitter = below(random_at(1, 0, id), config_.jitter);
  const Tick arrival = (config_.serialise ? free : burst.last) + config_.latency + jitter;
  sent_.push_back({now, from, to, e.op, e.flow, e.step});
  flying_.push_back({arrival, sent_.back(), values_[from][e.flow], e.bytes});
}

void NicNetwork::deliver(const Message& m) {
  std::uint64_t& value = values_[m.sent.to][m.sent.flow];
  if (m.sent.op == ScheduleEntry::Op::reduce) {
    if ((value & m.value) != 0) ++doubled_;
    value += m.value;
  } else {
    value = m.value;
  }
  nodes_[m.sent.to]->engine.receive(m.sent.op, m.sent.flow, m.sent.from, m.bytes, m.when);
}

Tick NicNetwork::next() const {
  Tick t = never;
  for (const auto& n : nodes_) t = std::min(t, n->engine.next());
  for (const Message& m : flying_) t = std::min(t, m.when);
  return t;
}

Tick NicNetwork::run() {
  for (Tick now = next(); now != never; now = next()) {
    const Tick horizon = config_.window == 0 ? now : now - now % config_.window + config_.window - 1;
    std::vector<Message> due;
    const auto later =
        std::stable_partition(flying_.begin(), flying_.end(), [=](const Message& m) { return m.when > horizon; });
    due.assign(later, flying_.end());
    flying_.erase(later, flying_.end());
    std::stable_sort(due.begin(), due.end(), [](const Message& a, const Message& b) { return a.when < b.when; });
    for (const Message& m : due) deliver(m);
    for (auto& n : nodes_) n->engine.run_until(horizon);
  }
  Tick done = 0;
  for (const auto& n : nodes_) done = std::max(done, n->done);
  return done;
}

std::vector<NicNetwork::Sent> NicNetwork::sent() const {
  std::vector<Sent> s = sent_;
  std::stable_sort(s.begin(), s.end(), [](const Sent& a, const Sent& b) {
    return std::make_tuple(a.when, a.from) < std::make_tuple(b.when, b.from);
  });
  return s;
}

// ---- tables from trees

namespace {

using Op = ScheduleEntry::Op;
constexpr std::uint16_t nil = ScheduleEntry::nil;

void add_child(ScheduleEntry& e, std::uint16_t child) {
  for (std::uint16_t& c : e.children)
    if (c == nil) {
      c = child;
      return;
    }
  throw std::logic_error("more than four children of one entry");
}

ScheduleEntry& find_or_add(std::vector<ScheduleEntry>& table, const ScheduleEntry& e) {
  for (ScheduleEntry& x : table)
    if (x.op == e.op && x.flow == e.flow && x.step == e.step) return x;
  return table.push_back(e), table.back();
}

void add_tree(std::vector<NicOperation>& nics, std::uint16_t flow, const std::vector<TreeEdge>& tree, std::uint16_t steps,
              std::uint32_t bytes) {
  const std::uint64_t start = std::uint64_t{flow} * bytes;
  std::vector<std::uint16_t> parent(nics.size(), nil);
  for (const TreeEdge& e : tree) parent[e.child] = e.parent;
  for (const TreeEdge& e : tree) {
    ScheduleEntry reduce{Op::reduce, flow, e.parent, {nil, nil, nil, nil}, static_cast<std::uint16_t>(steps - e.step + 1),
                         start,      bytes};
    for (const TreeEdge& below_it : tree)
      if (below_it.parent == e.child) add_child(reduce, below_it.child);
    nics[e.child].entries.push_back(reduce);
    ++nics[e.parent].reduces;
    ScheduleEntry& gather = find_or_add(nics[e.parent].entries, {Op::gather,
                                                                 flow,
                                                                 parent[e.parent],
                                                                 {nil, nil, nil, nil},
                                                                 static_cast<std::uint16_t>(steps + e.step),
                                                                 start,
                                                                 bytes});
    add_child(gather, e.child);
    ++nics[e.child].gathers;
  }
}

void add_nops(std::vector<ScheduleEntry>& table, std::uint32_t bytes) {
  const auto order = [](const ScheduleEntry& a, const ScheduleEntry& b) {
    return std::make_tuple(a.step, a.flow) < std::make_tuple(b.step, b.flow);
  };
  std::sort(table.begin(), table.end(), order);
  const std::vector<ScheduleEntry> entries = table;
  for (std::size_t i = 1; i < entries.size(); ++i)
    for (unsigned s = entries[i - 1].step + 1u; s < entries[i].step; ++s)
      table.push_back({Op::nop, nil, nil, {nil, nil, nil, nil}, static_cast<std::uint16_t>(s), 0, bytes});
  std::sort(table.begin(), table.end(), order);
}

}  // namespace

std::vector<NicOperation> tree_tables(const std::vector<std::vector<TreeEdge>>& trees, std::uint16_t steps,
                                      std::uint32_t bytes) {
  std::vector<NicOperation> nics(trees.size());
  for (std::size_t root = 0; root < trees.size(); ++root)
    add_tree(nics, static_cast<std::uint16_t>(root), trees[root], steps, bytes);
  for (NicOperation& nic : nics) add_nops(nic.entries, bytes);
  return nics;
}

}  // namespace tributary
