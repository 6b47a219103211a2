#include "testbench/family/schedule_nic/network_lowering.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "testbench/collective/schedule/direct_placement.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/family/schedule_nic/schedule_tables.h"
#include "testbench/family/schedule_nic/table_rows.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/memory_layout.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {
namespace {

using collective::Chunking;
using collective::FusedProgram;
using collective::FusedStep;
using collective::NetworkSchedule;
using topology::PortRef;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// ---- schedule tables

std::vector<collective::ChunkRange> chunks_of(const JobSpec& job, Bytes message) {
  const auto ranks = static_cast<int>(job.ranks.size());
  if (collective_of(job.collective).chunking == Chunking::even) return collective::even_chunks(ranks, message.value);
  const collective::Parts parts = parts_of(job, message);
  std::vector<collective::ChunkRange> chunks;
  for (std::uint64_t r = 0; r < job.ranks.size(); ++r)
    chunks.push_back({parts.first_block(r), parts.blocks(r), parts.address(r), parts.bytes(r)});
  return chunks;
}

/// The ways of the trees are fixed, so that no link is used twice in a step.
void add_routes(std::vector<NicProgram>& work, const collective::StepTrees& trees, const ScheduleNicPlatform& system) {
  const topology::Graph& graph = system.schedule_network().graph;
  for (const collective::StepTree& tree : trees.trees)
    for (const collective::TreeEdge& e : tree.edges) {
      const auto flow = static_cast<std::uint16_t>(trees.nodes[at(tree.root)]);
      const auto parent = static_cast<std::uint16_t>(trees.nodes[at(e.parent)]);
      const auto child = static_cast<std::uint16_t>(trees.nodes[at(e.child)]);
      const std::vector<PortRef> down(tree.begin(e), tree.end(e));
      std::vector<PortRef> up;
      for (auto hop = down.rbegin(); hop != down.rend(); ++hop) up.push_back(*graph.peer(*hop));
      work[at(e.parent)].routes.push_back({flow, child, system.source_route(down)});
      work[at(e.child)].routes.push_back({flow, parent, system.source_route(up)});
    }
}

LoweredNetwork lower_tables(const JobSpec& job, Bytes message, const NetworkSchedule& schedule,
                            const ScheduleNicPlatform& system) {
  LoweredNetwork lowered;
  lowered.memory_bytes = MemoryLayout::of(job, message).mailboxes;
  const std::vector<collective::ChunkRange> chunks = chunks_of(job, message);
  auto tables = collective::schedule_tables(*schedule.trees, system.network().graph, job.collective, chunks,
                                            collective::NopRule::every_idle_step,
                                            ScheduleNicPlatform::row_children(system.network(), system.params()));
  const std::vector<collective::Arrivals> arrivals = collective::arrivals_of(tables, schedule.nodes);
  for (std::size_t r = 0; r < tables.size(); ++r) {
    NicOperation& table = lowered.work.emplace_back().table;
    table.entries = std::move(tables[r]);
    table.reduces = arrivals[r].reduces;
    table.gathers = arrivals[r].gathers;
    table.reduction = collective_of(job.collective).reduces;
  }
  add_routes(lowered.work, *schedule.trees, system);
  return lowered;
}

// ---- commands

/// Mailboxes hold what is reduced or passed on; what only overwrites a chunk is written to its place.
class CommandLowering {
 public:
  CommandLowering(const JobSpec& job, Bytes message, SizedSchedule sized, const NetworkSchedule& schedule)
      : layout_(MemoryLayout::of(job, message)),
        sized_(std::move(sized)),
        places_(job, message, sized_.schedule),
        slot_bytes_(sized_.slot_bytes()),
        program_(fuse(sized_.schedule, false)),
        nodes_(schedule.nodes) {
    collective::verify_any(program_);
    verify_direct_placement(program_);
    for (int r = 0; r < program_.ranks; ++r) index_rank(r);
    steps_ = schedule.pipelined ? steps_of_pipeline(program_) : steps_of_algorithm(program_);
  }

  /// Of a rank; with `rows`, what it sends has rows in the NIC's schedule table.
  NicProgram program(int rank, bool rows) const {
    NicProgram p;
    p.commands = commands(rank);
    if (rows) add_table_rows(program_, rank, steps_[at(rank)], nodes_, p);
    return p;
  }
  std::uint64_t memory_bytes() const { return layout_.mailboxes + mailbox_bytes_; }

 private:
  std::vector<NicCommand> commands(int rank) const {
    std::vector<NicCommand> all;
    for (const FusedStep& step : program_.steps[at(rank)]) {
      NicCommand c;
      c.chunk = place(rank, step.chunk);
      collective::check_nic_chunk(c.chunk, sized_.chunk_bytes[at(step.chunk)]);
      c.bytes = static_cast<std::uint32_t>(sized_.chunk_bytes[at(step.chunk)]);
      c.receives = step.receive.has_value();
      c.flow = static_cast<std::uint16_t>(step.chunk);
      if (step.receive) c.peer = static_cast<std::uint16_t>(nodes_[at(step.receive->peer)]);
      c.reduce = step.reduce;
      if (c.receives) c.from = landing(rank, step);
      if (step.send) {
        const std::uint16_t command = receiver_.at({step.send->peer, rank, step.send->slot, step.send->step});
        const FusedStep& there = program_.steps[at(step.send->peer)][command];
        c.send =
            NicTarget{static_cast<std::uint16_t>(nodes_[at(step.send->peer)]), command, landing(step.send->peer, there)};
      }
      for (const int before : step.after) c.after.push_back(static_cast<std::uint32_t>(before));
      all.push_back(std::move(c));
    }
    return all;
  }

  void index_rank(int rank) {
    std::map<std::pair<int, int>, std::uint64_t>& boxes = boxes_.emplace_back();
    const auto& steps = program_.steps[at(rank)];
    if (steps.size() > 0xFFFF)
      throw collective::ScheduleError("rank " + std::to_string(rank) + " has " + std::to_string(steps.size()) +
                                      " commands (legal: at most 65535)");
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (places_.relayed(rank, steps[i].chunk))
        boxes.emplace(std::pair{transit, steps[i].chunk}, boxes.size() * slot_bytes_);
      if (!steps[i].receive) continue;
      const collective::MailboxSlot& from = *steps[i].receive;
      receiver_[{rank, from.peer, from.slot, from.step}] = static_cast<std::uint16_t>(i);
      if (!lands_directly(steps[i])) boxes.emplace(std::pair{from.peer, from.slot}, boxes.size() * slot_bytes_);
    }
    mailbox_bytes_ = std::max(mailbox_bytes_, boxes.size() * slot_bytes_);
  }
  std::uint64_t landing(int rank, const FusedStep& step) const {
    if (lands_directly(step)) return place(rank, step.chunk);
    return layout_.mailboxes + boxes_[at(rank)].at({step.receive->peer, step.receive->slot});
  }
  /// Of a chunk in a rank's memory.
  std::uint64_t place(int rank, int chunk) const {
    if (!places_.relayed(rank, chunk)) return places_.address(rank, chunk);
    return layout_.mailboxes + boxes_[at(rank)].at({transit, chunk});
  }

  static constexpr int transit = -1;  // in place of a peer

  MemoryLayout layout_;
  SizedSchedule sized_;
  ChunkPlaces places_;
  std::uint64_t slot_bytes_;
  FusedProgram program_;
  StepsOfCommands steps_;
  std::vector<int> nodes_;
  std::vector<std::map<std::pair<int, int>, std::uint64_t>> boxes_;   ///< [rank] (peer, slot) -> offset among the mailboxes
  std::map<std::tuple<int, int, int, int>, std::uint16_t> receiver_;  ///< (rank, peer, slot, step) -> command
  std::uint64_t mailbox_bytes_ = 0;
};

std::size_t operations(const collective::Schedule& schedule) {
  std::size_t sum = 0;
  for (const auto& program : schedule.programs) sum += program.size();
  return sum;
}

LoweredNetwork lower_commands(const JobSpec& job, Bytes message, const NetworkSchedule& schedule, bool rows) {
  SizedSchedule fitting = sized(schedule.schedule, job, message);
  const bool shorter = operations(fitting.schedule) != operations(schedule.schedule);
  if (shorter) collective::verify_any(fitting.schedule);  // messages that are gone no longer order anything
  const CommandLowering lowering(job, message, std::move(fitting), schedule);
  LoweredNetwork lowered;
  lowered.memory_bytes = lowering.memory_bytes();
  for (int r = 0; r < schedule.schedule.ranks; ++r) lowered.work.push_back(lowering.program(r, rows));
  return lowered;
}

}  // namespace

NetworkSchedule proved_schedule(const JobSpec& job, const topology::Network& network, int tree_chunks) {
  collective::NetworkRequest request;
  request.collective = job.collective;
  request.algorithm = job.algorithm;
  request.members = job.ranks;
  request.chunks = tree_chunks;
  NetworkSchedule schedule = network_schedule(network, request);
  if (schedule.trees) verify(*schedule.trees, network.graph);
  collective::verify_any(schedule.schedule);
  return schedule;
}

LoweredNetwork lower_network(const JobSpec& job, Bytes message, const NetworkSchedule& schedule,
                             const ScheduleNicPlatform& system) {
  const bool tables = schedule.trees && collective_of(job.collective).chunking != Chunking::pairs;
  const bool rows = system.params().nic.issue == NicIssue::table && !schedule.trees;
  LoweredNetwork lowered =
      tables ? lower_tables(job, message, schedule, system) : lower_commands(job, message, schedule, rows);
  for (NicProgram& w : lowered.work) w.type = job.type, w.op = job.op;
  return lowered;
}

}  // namespace tributary
