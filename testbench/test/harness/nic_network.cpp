#include "testbench/test/harness/nic_network.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "modules/base/random.h"
#include "testbench/family/schedule_nic/schedule_tables.h"
#include "testbench/test/harness/plain_table.h"

namespace tributary {

class NicNetwork::Node : public ScheduleListener {
 public:
  Node(NicNetwork& network, const ScheduleEngine::Config& config)
      : reduction(config.params.reduction, config.params.clock),
        engine(config, *this, table, reduction),
        network_(network),
        dma_(config.params.memory),
        memory_latency_(config.params.memory.latency.value) {
    ProbeDirectory directory;
    engine.describe(directory, "");
    directory.for_each<SignalProbe>([this](const std::string& name, SignalProbe& probe) {
      if (name == "step")
        probe.attach(this, [](void* self, Tick t, std::uint64_t s) { static_cast<Node*>(self)->steps.push_back({t, s}); });
    });
    node_ = config.node;
  }
  void send(const ScheduleEntry& e, Tick now) override {
    const DmaReader::Burst burst = dma_.request(now, e.bytes, memory_latency_);
    if (e.op == ScheduleEntry::Op::reduce) return network_.send(node_, e.parent, e, burst, now);
    for (const std::uint16_t child : e.children)
      if (child != ScheduleEntry::nil) network_.send(node_, child, e, burst, now);
  }
  void operation_done(Tick when) override { done = when; }

  PlainTable table{128};
  ReductionCore reduction;
  ScheduleEngine engine;
  Tick done = never;
  std::vector<Step> steps;

 private:
  NicNetwork& network_;
  DmaReader dma_;
  Tick memory_latency_;
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
const ReductionCore& NicNetwork::reduction(std::size_t node) const { return nodes_[node]->reduction; }
const std::vector<NicNetwork::Step>& NicNetwork::steps(std::size_t node) const { return nodes_[node]->steps; }

void NicNetwork::send(std::uint16_t from, std::uint16_t to, const ScheduleEntry& e, const DmaReader::Burst& burst,
                      Tick now) {
  const Tick flit = 16'000'000'000'000ull / config_.nic.link_rate.value;
  Tick& free = link_free_[from][to];
  if (config_.serialise && free > burst.first) ++queued_;
  const Tick start = std::max(burst.first, free);
  if (config_.serialise) free = std::max(start + segmentation_.flits(e.bytes) * flit, burst.last);
  const std::uint64_t id =
      (std::uint64_t{e.tree} << 32 | std::uint64_t{from} << 16 | to) * 2 + (e.op != ScheduleEntry::Op::reduce);
  const Tick jitter = below(random_at(1, 0, id), config_.jitter);
  const Tick arrival = (config_.serialise ? free : burst.last) + config_.latency + jitter;
  sent_.push_back({now, from, to, e.op, e.tree, e.step});
  flying_.push_back({arrival, sent_.back(), values_[from][e.tree], e.bytes});
}

void NicNetwork::deliver(const Message& m) {
  std::uint64_t& value = values_[m.sent.to][m.sent.tree];
  if (m.sent.op == ScheduleEntry::Op::reduce) {
    if ((value & m.value) != 0) ++doubled_;
    value += m.value;
  } else {
    value = m.value;
  }
  nodes_[m.sent.to]->engine.receive(m.sent.op, m.sent.tree, m.sent.from, m.bytes, m.when);
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

std::vector<NicOperation> all_reduce_over(const collective::StepTrees& trees, std::uint32_t bytes) {
  std::vector<collective::ChunkRange> chunks;
  for (std::uint64_t i = 0; i < trees.nodes.size(); ++i) chunks.push_back({0, 0, i * bytes, bytes});
  topology::Graph graph;  // tables contain nothing about the network between the NICs
  for (const int node : trees.nodes) graph.add_node({topology::NodeKind::nic, "nic" + std::to_string(node), 0, 0, -1, node});
  auto tables = collective::schedule_tables(trees, graph, "allreduce", chunks, collective::NopRule::between_operations);
  const std::vector<collective::Arrivals> arrivals = collective::arrivals_of(tables, trees.nodes);
  std::vector<NicOperation> nics;
  for (std::size_t n = 0; n < tables.size(); ++n)
    nics.push_back({std::move(tables[n]), arrivals[n].reduces, arrivals[n].gathers, true, ElementType::f32});
  return nics;
}

}  // namespace tributary
