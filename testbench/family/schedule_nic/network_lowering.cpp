#include "testbench/family/schedule_nic/network_lowering.h"

#include <utility>

#include "modules/base/index.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/family/schedule_nic/schedule_tables.h"
#include "testbench/family/schedule_nic/table_rows.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/run/errors.h"
#include "testbench/workload/chunk_commands.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/endpoint_command.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

using collective::Chunking;
using collective::NetworkSchedule;
using topology::PortRef;

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

auto tables_of(const JobSpec& job, const NetworkSchedule& schedule, const std::vector<collective::ChunkRange>& chunks,
               const topology::Network& network, const NetworkParams& params) {
  return collective::schedule_tables(*schedule.trees, network.graph, job.collective, chunks,
                                     collective::NopRule::every_idle_step,
                                     ScheduleNicPlatform::row_children(network, params));
}

/// Returns true if the job uses the NICs' tables, false if it uses commands.
bool in_tables(const JobSpec& job, const NetworkSchedule& schedule) {
  return schedule.trees && collective_of(job.collective).chunking != Chunking::pairs;
}

/// Adds the routes of the trees, which are fixed, so that no link is used twice in a step.
void add_routes(std::vector<NicProgram>& work, const collective::StepTrees& trees, const ScheduleNicPlatform& system) {
  const topology::Graph& graph = system.schedule_network().graph;
  for (const collective::StepTree& tree : trees.trees)
    for (const collective::TreeEdge& e : tree.edges) {
      const auto number = static_cast<std::uint16_t>(trees.nodes[at(tree.root)]);
      const auto parent = static_cast<std::uint16_t>(trees.nodes[at(e.parent)]);
      const auto child = static_cast<std::uint16_t>(trees.nodes[at(e.child)]);
      const std::vector<PortRef> down(tree.begin(e), tree.end(e));
      std::vector<PortRef> up;
      for (auto hop = down.rbegin(); hop != down.rend(); ++hop) up.push_back(*graph.peer(*hop));
      work[at(e.parent)].routes.push_back({number, child, system.source_route(down)});
      work[at(e.child)].routes.push_back({number, parent, system.source_route(up)});
    }
}

LoweredNetwork lower_tables(const JobSpec& job, Bytes message, const NetworkSchedule& schedule,
                            const ScheduleNicPlatform& system) {
  LoweredNetwork lowered;
  lowered.memory_bytes = MemoryLayout::of(job, message).mailboxes;
  const std::vector<collective::ChunkRange> chunks = chunks_of(job, message);
  auto tables = tables_of(job, schedule, chunks, system.network(), system.params());
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

/// With `rows`, the sends of a rank have rows in its NIC's schedule table.
LoweredNetwork lower_commands(const JobSpec& job, Bytes message, const NetworkSchedule& schedule, bool rows) {
  const ChunkCommands commands(job, message, proved_for(schedule.schedule, job, message));
  StepsOfCommands steps;
  if (rows) steps = schedule.pipelined ? steps_of_pipeline(commands.program()) : steps_of_algorithm(commands.program());
  LoweredNetwork lowered;
  lowered.memory_bytes = commands.memory_bytes();
  for (int r = 0; r < schedule.schedule.ranks; ++r) {
    NicProgram& p = lowered.work.emplace_back();
    for (const ChunkCommand& c : commands.of_rank(r)) {
      collective::check_nic_chunk(c.address, c.bytes);
      p.commands.push_back(endpoint_command<NicCommand>(c, schedule.nodes));
    }
    if (rows) add_table_rows(commands.program(), r, steps[at(r)], schedule.nodes, p);
  }
  return lowered;
}

collective::NetworkRequest request_of(const JobSpec& job, int tree_chunks) {
  collective::NetworkRequest request;
  request.collective = job.collective;
  request.algorithm = job.algorithm;
  request.members = job.ranks;
  request.root = job.root;
  request.chunks = tree_chunks;
  return request;
}

}  // namespace

void check_network_algorithm(const JobSpec& job, const topology::Network& network, const NetworkParams& params) {
  constexpr int fewest = 2;
  if (msccl::names_file(job.algorithm)) return;
  const NetworkSchedule schedule =
      network_schedule(ScheduleNicPlatform::schedule_network(network, params), request_of(job, fewest));
  if (!in_tables(job, schedule)) return;
  for (const WorkItem& item : job.items)
    for (const auto& table : tables_of(job, schedule, chunks_of(job, item.size), network, params))
      if (table.size() > *params.nic.table.entries)
        throw SetupError(job.algorithm + " needs " + std::to_string(table.size()) +
                         " entries of a table (legal: schedule_nic.nic.table.entries of at least as many)");
}

NetworkSchedule proved_schedule(const JobSpec& job, const topology::Network& network, int tree_chunks) {
  if (msccl::names_file(job.algorithm)) return {msccl::schedule_of(job, job.ranks.size()), job.ranks, std::nullopt};
  NetworkSchedule schedule = network_schedule(network, request_of(job, tree_chunks));
  if (schedule.trees) verify(*schedule.trees, network.graph);
  collective::verify_any(schedule.schedule);
  return schedule;
}

LoweredNetwork lower_network(const JobSpec& job, Bytes message, const NetworkSchedule& schedule,
                             const ScheduleNicPlatform& system) {
  const bool tables = in_tables(job, schedule);
  const bool rows = system.params().nic.issue == NicIssue::table && !schedule.trees;
  LoweredNetwork lowered =
      tables ? lower_tables(job, message, schedule, system) : lower_commands(job, message, schedule, rows);
  for (NicProgram& w : lowered.work) w.type = job.type, w.op = job.op;
  return lowered;
}

}  // namespace tributary
