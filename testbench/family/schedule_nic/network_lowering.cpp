#include "testbench/family/schedule_nic/network_lowering.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "modules/base/index.h"
#include "modules/nic/core/schedule_check.h"
#include "testbench/collective/algorithm/network_trees.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/family/schedule_nic/schedule_tables.h"
#include "testbench/family/schedule_nic/table_proof.h"
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

/// Returns true if the algorithm grows trees.
bool grows(const JobSpec& job) {
  const collective::NetworkAlgorithm* const algorithm = collective::find_network_algorithm(job.collective, job.algorithm);
  return algorithm != nullptr && algorithm->grows;
}

/// Returns true if NICs hold the trees of the collective in their tables; else they have commands.
bool trees_in_tables(const JobSpec& job) { return collective_of(job.collective).chunking != Chunking::pairs; }
bool in_tables(const JobSpec& job, const NetworkSchedule& schedule) { return schedule.trees && trees_in_tables(job); }

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

/// Lowers to tables without routes.
LoweredNetwork lower_tables(const JobSpec& job, Bytes message, const NetworkSchedule& schedule,
                            const topology::Network& network, const NetworkParams& params) {
  LoweredNetwork lowered;
  lowered.memory_bytes = MemoryLayout::of(job, message).mailboxes;
  const std::vector<collective::ChunkRange> chunks = chunks_of(job, message);
  auto tables = tables_of(job, schedule, chunks, network, params);
  collective::verify_tables(tables, schedule.nodes, job.collective, chunks);
  const std::vector<collective::Arrivals> arrivals = collective::arrivals_of(tables, schedule.nodes);
  for (std::size_t r = 0; r < tables.size(); ++r) {
    NicOperation& table = lowered.work.emplace_back().table;
    table.entries = std::move(tables[r]);
    table.reduces = arrivals[r].reduces;
    table.gathers = arrivals[r].gathers;
    table.reduction = collective_of(job.collective).reduces;
  }
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

/// Lowers a schedule except for the routes of its trees.
LoweredNetwork lower_work(const JobSpec& job, Bytes message, const NetworkSchedule& schedule,
                          const topology::Network& network, const NetworkParams& params) {
  if (in_tables(job, schedule)) return lower_tables(job, message, schedule, network, params);
  return lower_commands(job, message, schedule, params.nic.issue == NicIssue::table && !schedule.trees);
}

/// Limits the segments so that the schedule can be proved, because no two segments share steps.
int segments_within(const NetworkParams& p, Bytes message, std::size_t ranks) {
  constexpr std::uint64_t segment = 16 * 1024, soon = 4096, at_all = 10'000;  // segments x ranks
  if (p.tree_chunks && *p.tree_chunks * ranks > at_all)
    throw SetupError("schedule_nic.tree_chunks=" + std::to_string(*p.tree_chunks) + " on " + std::to_string(ranks) +
                     " nodes makes a schedule too large to be proved; legal: at most " + std::to_string(at_all / ranks));
  if (p.tree_chunks) return static_cast<int>(*p.tree_chunks);
  const std::uint64_t provable = std::max<std::uint64_t>(2, soon / ranks);
  const std::uint64_t most = p.nic.issue == NicIssue::table ? std::min<std::uint64_t>(provable, ranks) : provable;
  return static_cast<int>(std::clamp<std::uint64_t>(message.value / segment, 2, most));
}

/// Returns the largest number of sends of a rank, which is at least that of the rows of its table.
std::size_t most_sends(const collective::Schedule& schedule) {
  std::size_t most = 0;
  for (const std::vector<collective::Operation>& program : schedule.programs)
    most = std::max<std::size_t>(most, static_cast<std::size_t>(std::count_if(
                                           program.begin(), program.end(), [](const collective::Operation& operation) {
                                             return operation.kind == collective::OperationKind::send;
                                           })));
  return most;
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
  if (msccl::names_file(job.algorithm)) return;
  const topology::Network units = ScheduleNicPlatform::schedule_network(network, params);
  for (const WorkItem& item : job.items) {
    const collective::NetworkRequest request = request_of(job, pipeline_segments(job, item.size, params));
    const NetworkSchedule schedule = grows(job) ? network_trees(units, request) : network_schedule(units, request);
    const bool few = schedule.trees || most_sends(schedule.schedule) <= *params.nic.table.entries;
    if (!in_tables(job, schedule) && few) continue;  // commands of trees have no rows
    check_tables(job, lower_work(job, item.size, schedule, network, params), params);
  }
}

int pipeline_segments(const JobSpec& job, Bytes message, const NetworkParams& params) {
  const collective::NetworkAlgorithm* algorithm = collective::find_network_algorithm(job.collective, job.algorithm);
  return algorithm != nullptr && algorithm->pipelined ? segments_within(params, message, job.ranks.size()) : 2;
}

/// The fullest table comes first, because its requirement suffices for all.
void check_tables(const JobSpec& job, const LoweredNetwork& lowered, const NetworkParams& params) {
  const std::uint32_t capacity = *params.nic.table.entries;
  const auto entries = [&](std::size_t r) -> const std::vector<ScheduleEntry>& { return lowered.work[r].table.entries; };
  std::vector<std::size_t> order(lowered.work.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return entries(a).size() > entries(b).size(); });
  for (const std::size_t r : order) {
    const auto node = static_cast<std::uint16_t>(job.ranks[r]);
    const std::size_t needed = entries(r).size();
    if (needed > capacity)
      throw SetupError(table_overflow(node, needed, capacity) + "; legal: schedule_nic.nic.table.entries of at least " +
                       std::to_string(needed) + ", or auto");
    check_schedule(node, entries(r));
  }
}

NetworkSchedule proved_schedule(const JobSpec& job, const topology::Network& network, int tree_chunks) {
  if (msccl::names_file(job.algorithm)) return {msccl::schedule_of(job, job.ranks.size()), job.ranks, std::nullopt};
  const collective::NetworkRequest request = request_of(job, tree_chunks);
  if (grows(job) && trees_in_tables(job)) {
    NetworkSchedule trees = network_trees(network, request);
    verify(*trees.trees, network.graph);
    return trees;
  }
  NetworkSchedule schedule = network_schedule(network, request);
  if (schedule.trees) verify(*schedule.trees, network.graph);
  collective::verify_any(schedule.schedule);
  return schedule;
}

std::optional<NetworkSchedule> outline_of(const JobSpec& job, const topology::Network& network) {
  const collective::NetworkAlgorithm* const algorithm = collective::find_network_algorithm(job.collective, job.algorithm);
  if (algorithm == nullptr || !algorithm->by_rank) return std::nullopt;
  return network_outline(network, request_of(job, 0));
}

LoweredNetwork lower_network(const JobSpec& job, Bytes message, const NetworkSchedule& schedule,
                             const ScheduleNicPlatform& system) {
  LoweredNetwork lowered = lower_work(job, message, schedule, system.network(), system.params());
  if (in_tables(job, schedule)) add_routes(lowered.work, *schedule.trees, system);
  for (NicProgram& w : lowered.work) w.type = job.type, w.op = job.op;
  return lowered;
}

}  // namespace tributary
