#include "testbench/family/schedule_nic/fluid/fluid_lowering.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "modules/base/index.h"
#include "testbench/collective/link_loads.h"
#include "testbench/family/schedule_nic/network_lowering.h"
#include "testbench/run/errors.h"
#include "testbench/workload/transfer_count.h"

namespace tributary {
namespace {

using collective::NetworkSchedule;
using collective::StepTree;
using collective::TreeEdge;
using topology::PortRef;
using Id = FluidSends::Id;
using Op = ScheduleEntry::Op;
using Rows = std::vector<FluidSends::Row>;

constexpr Id nothing = ~Id{0};

/// The entries of schedule tables, as activities.
class TableFlows {
 public:
  TableFlows(const ScheduleNicPlatform& system, const NetworkSchedule& schedule, const LoweredNetwork& lowered,
             FluidSends& sends)
      : system_(system), trees_(*schedule.trees), lowered_(lowered), sends_(sends) {
    const topology::Graph& graph = system.schedule_network().graph;
    for (std::size_t r = 0; r < trees_.nodes.size(); ++r) {
      const auto nic = static_cast<std::size_t>(graph.node(trees_.nodes[r]).index);
      if (nic >= rank_of_.size()) rank_of_.resize(nic + 1, 0);
      rank_of_[nic] = r;
    }
    for (const StepTree& tree : trees_.trees) {
      auto& edges = edges_.emplace_back(trees_.nodes.size(), nullptr);
      for (const TreeEdge& e : tree.edges) edges[at(e.child)] = &e;
    }
    up_.assign(edges_.size(), std::vector<Id>(trees_.nodes.size(), nothing));
    down_ = up_;
  }

  void add() {
    std::vector<Rows> rows;
    for (std::size_t r = 0; r < lowered_.work.size(); ++r) rows.push_back(rows_of(r));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::vector<Id> points = sends_.issue(rows[r]);
      for (std::size_t i = 0; i < points.size(); ++i) add_waits(r, lowered_.work[r].table.entries[i], points[i]);
    }
    if (!lowered_.work.front().table.reduction) return;
    for (std::size_t t = 0; t < edges_.size(); ++t) {  // a root has its sum after it has added the last operand
      const Id sum = sends_.point();
      after_children(t, at(trees_.trees[t].root), sum);
    }
  }

 private:
  Rows rows_of(std::size_t rank) {
    Rows rows;
    for (const ScheduleEntry& e : lowered_.work[rank].table.entries) {
      FluidSends::Row& row = rows.emplace_back();
      row.step = e.step, row.nop = e.op == Op::nop, row.bytes = e.bytes;
      if (row.nop) continue;
      const std::size_t t = rank_of_[e.tree];
      if (e.op == Op::reduce) {
        row.sends.push_back(up_[t][rank] = sends_.send(route(t, rank, true), e.bytes));
        continue;
      }
      for (const std::uint16_t child : e.children)
        if (child != ScheduleEntry::nil)
          row.sends.push_back(down_[t][rank_of_[child]] = sends_.send(route(t, rank_of_[child], false), e.bytes));
    }
    return rows;
  }

  std::vector<PortRef> route(std::size_t t, std::size_t child, bool up) const {
    const StepTree& tree = trees_.trees[t];
    const TreeEdge& e = *edges_[t][child];
    std::vector<PortRef> hops(tree.begin(e), tree.end(e));
    if (up) {
      std::reverse(hops.begin(), hops.end());
      for (PortRef& hop : hops) hop = *system_.schedule_network().graph.peer(hop);
    }
    for (PortRef& hop : hops) hop = system_.port_of_unit(hop);
    return hops;
  }

  void add_waits(std::size_t rank, const ScheduleEntry& e, Id row) {
    if (e.op == Op::nop) return;
    const std::size_t t = rank_of_[e.tree];
    const bool from_parent = e.op == Op::gather && e.parent != ScheduleEntry::nil;
    if (from_parent)
      sends_.after_arrival(row, down_[t][rank], false);
    else
      after_children(t, rank, row);
  }

  void after_children(std::size_t t, std::size_t rank, Id later) {
    for (const TreeEdge& edge : trees_.trees[t].edges)
      if (at(edge.parent) == rank && up_[t][at(edge.child)] != nothing)
        sends_.after_arrival(later, up_[t][at(edge.child)], true);
  }

  const ScheduleNicPlatform& system_;
  const collective::StepTrees& trees_;
  const LoweredNetwork& lowered_;
  FluidSends& sends_;
  std::vector<std::size_t> rank_of_;                 ///< by number of a NIC
  std::vector<std::vector<const TreeEdge*>> edges_;  ///< [tree][child]
  std::vector<std::vector<Id>> up_, down_;           ///< [tree][child] the send over its edge
};

/// Commands of ranks, each of which acts for the ranks whose `first_rank` it is.
struct CommandRanks {
  const LoweredNetwork& lowered;
  std::vector<std::size_t> first_rank;  ///< [rank]

  bool acts(std::size_t rank) const { return first_rank[rank] == rank; }
};

/// Adds commands, with or without rows. A command ends when its chunk has arrived and its own send has ended.
void add_commands(const ScheduleNicPlatform& system, const std::vector<int>& nodes, const CommandRanks& ranks,
                  FluidSends& sends) {
  const topology::PacketRoutes routes(system.network());
  const std::vector<NicProgram>& work = ranks.lowered.work;
  std::vector<std::vector<Id>> at_hand(work.size()), sent(work.size());
  std::map<int, std::size_t> rank_of;
  for (std::size_t r = 0; r < work.size(); ++r) {
    rank_of[nodes[r]] = ranks.first_rank[r];
    if (!ranks.acts(r)) continue;
    for (const NicCommand& c : work[r].commands) {
      at_hand[r].push_back(sends.point());
      sent[r].push_back(c.send ? sends.send(routes.route(nodes[r], c.send->nic), c.bytes) : nothing);
    }
  }
  for (std::size_t r = 0; r < work.size(); ++r) {
    if (!ranks.acts(r)) continue;
    const NicProgram& program = work[r];
    Rows rows;
    for (const ScheduleEntry& e : program.table.entries) rows.push_back({e.step, e.op == Op::nop, e.bytes, {}});
    for (std::size_t c = 0; c < program.commands.size(); ++c) {
      const NicCommand& command = program.commands[c];
      for (const std::uint32_t before : command.after)
        sends.after(at_hand[r][c], sent[r][before] != nothing ? sent[r][before] : at_hand[r][before]);
      if (!command.send) continue;
      const std::size_t to = rank_of.at(command.send->nic);
      const std::uint16_t there = command.send->command;
      sends.after_arrival(at_hand[to][there], sent[r][c], work[to].commands[there].reduce);
      if (command.row)
        rows[*command.row].sends.push_back(sent[r][c]);
      else
        sends.after(sent[r][c], at_hand[r][c]);
    }
    const std::vector<Id> points = sends.issue(rows);
    for (std::size_t c = 0; c < program.commands.size(); ++c)
      if (program.commands[c].row) sends.after(points[*program.commands[c].row], at_hand[r][c]);
  }
}

std::vector<std::size_t> every_rank(std::size_t ranks) {
  std::vector<std::size_t> all(ranks);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// Returns the mean number of NICs that a chunk passes on its way from one NIC to another, including the last.
double mean_distance(const topology::Network& network) {
  const topology::Graph& graph = network.graph;
  std::vector<std::vector<int>> neighbours(graph.nodes().size());
  for (const topology::Link& link : graph.links()) {
    neighbours[at(link.a.node)].push_back(link.b.node);
    neighbours[at(link.b.node)].push_back(link.a.node);
  }
  const std::vector<int> ends = graph.endpoints();
  double sum = 0;
  for (const int from : ends) {
    std::vector<int> distance(neighbours.size(), -1);
    std::deque<int> open{from};
    distance[at(from)] = 0;
    while (!open.empty()) {
      const int node = open.front();
      open.pop_front();
      for (const int next : neighbours[at(node)]) {
        const bool end = topology::is_end(graph.node(next).kind);
        if (distance[at(next)] >= 0) continue;
        distance[at(next)] = distance[at(node)] + (end ? 1 : 0);
        end ? open.push_back(next) : open.push_front(next);
      }
    }
    for (const int to : ends) sum += distance[at(to)];
  }
  const auto count = static_cast<double>(ends.size());
  return count < 2 ? 1 : sum / (count * (count - 1));
}

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw SetupError("--mode fluid: " + what + " (legal: " + legal + ")");
}

}  // namespace

NicFluidLowering::NicFluidLowering(const ScheduleNicPlatform& system, NicSchedules& schedules, NicAdding adding)
    : system_(system), schedules_(schedules), adding_(adding) {
  for (std::size_t l = 0; l < system.links().size(); ++l)
    links_.push_back({static_cast<double>(system.links()[l].transmitter->rate().value), {l}});
}

void NicFluidLowering::check(const JobSpec& job) const {
  const NicParams& nic = system_.params().nic;
  const topology::Network& network = system_.network();
  if (!network.grid && network.name.rfind("file:", 0) == 0)
    refuse("flows have one latency for all links, and links of " + network.name + " have latencies of their own",
           "--mode windowed or event");
  if (nic.interfaces.count || nic.interfaces.rate || nic.interfaces.queue)
    refuse("flows do not share interfaces", "schedule_nic.nic.interfaces.*=auto");
  if (nic.memory.rate) refuse("flows do not model the rate of memory", "schedule_nic.nic.memory.rate=auto");
  if (nic.table.inspection != Inspection::head || nic.lockstep.load != LockstepLoad::step_start)
    refuse("rows of tables are issued in their order",
           "schedule_nic.nic.table.inspection=head, schedule_nic.nic.lockstep.load=step_start");
  for (const WorkItem& item : job.items) {
    const NetworkSchedule& schedule = schedules_.outline(job, item.size);
    if (schedule.trees) continue;  // no link is used twice in a step
    int most = 0;
    for (const collective::StepLoad& step : link_loads(system_.network(), schedule).steps) most = std::max(most, step.flows);
    if (most > 1)
      refuse(job.collective + " " + job.algorithm + " on " + system_.network().name + ": up to " + std::to_string(most) +
                 " flows share a link in a step, and block each other in FIFO queues",
             "schedules that share no link in a step, or by packets");
  }
}

/// Messages between ranks carry what the proof knows of all others, so each needs more with more ranks.
double NicFluidLowering::memory(const JobSpec& job, Bytes message) const {
  const collective::NetworkAlgorithm* const algorithm = collective::find_network_algorithm(job.collective, job.algorithm);
  if (algorithm == nullptr) return 0;  // a file, whose schedule is built already
  const auto ranks = static_cast<double>(job.ranks.size());
  const double transfers = transfer_count(job, message);
  if (algorithm->grows && collective_of(job.collective).chunking == collective::Chunking::pairs)
    return transfers * mean_distance(system_.network()) * (4'900 + 50 * ranks);
  if (algorithm->grows) return transfers * 1'000;    // rows of tables
  if (algorithm->by_rank) return transfers * 1'800;  // proved by one rank
  if (!algorithm->pipelined) return transfers * (1'800 + 8 * ranks);
  const int segments = pipeline_segments(job, message, system_.params());
  return collective_of(job.collective).passes * segments * (ranks - 1) * (2'600 + 72 * ranks);
}

/// The links of a step are listed, and the commands of one rank of each class.
double NicFluidLowering::memory_alone(const JobSpec& job, Bytes message) const {
  if (classes(job, message) == nullptr) return memory(job, message);
  return transfer_count(job, message) * 60;
}

const ClassLowering* NicFluidLowering::classes(const JobSpec& job, Bytes message) const {
  const collective::NetworkAlgorithm* const algorithm = collective::find_network_algorithm(job.collective, job.algorithm);
  if (algorithm == nullptr || !algorithm->by_rank || job.step) return nullptr;
  const NetworkSchedule& outline = schedules_.outline(job, message);
  const auto [known, is_new] = classes_.try_emplace(&outline);
  Classes& of_schedule = known->second;
  if (is_new) of_schedule.symmetry = collective::proved_symmetry({outline.schedule, outline.program});
  if (!of_schedule.symmetry) return nullptr;
  const auto [found, first] = of_schedule.lowered.try_emplace({message.value, element_size(job.type)});
  if (first) found->second = lower_classes(job, message, outline, *of_schedule.symmetry, system_);
  return found->second ? &*found->second : nullptr;
}

std::vector<std::uint32_t> NicFluidLowering::add_alone(const JobSpec& job, Bytes message, double start,
                                                       collective::ActivityGraph& graph) {
  const ClassLowering* const made = classes(job, message);
  if (made == nullptr) return add(job, message, start, graph), std::vector<std::uint32_t>();
  FluidSends sends(system_, graph, start, element_size(job.type), adding_);
  sends.represent(made->like);
  add_commands(system_, schedules_.outline(job, message).nodes, {made->lowered, made->first_rank}, sends);
  return made->like;
}

void NicFluidLowering::add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) {
  const NetworkSchedule& schedule = schedules_.schedule(job, message);
  const LoweredNetwork lowered = lower_network(job, message, schedule, system_);
  FluidSends sends(system_, graph, start, element_size(job.type), adding_);
  if (lowered.work.front().commands.empty() && schedule.trees)
    TableFlows(system_, schedule, lowered, sends).add();
  else
    add_commands(system_, schedule.nodes, {lowered, every_rank(lowered.work.size())}, sends);
}

}  // namespace tributary
