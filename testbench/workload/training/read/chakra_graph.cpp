#include "testbench/workload/training/read/chakra_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/chakra_collectives.h"

namespace tributary::training {
ChakraGraph::ChakraGraph(const ReadOptions& options, int files, const std::string& path)
    : options_(options), path_(path), files_(files), graph_(files > 1 ? files : std::max(options.ranks, 1)) {
  if (files > 1 && options.ranks > 0 && options.ranks != files)
    throw InputError(path + ": traces of " + std::to_string(files) + " ranks, but the run has " +
                     std::to_string(options.ranks) + " (legal: --gpus " + std::to_string(files) +
                     ", or one trace for all ranks)");
  graph_.compute_order = graph_.comm_order = Order::priority;
}

void ChakraGraph::add_file(std::istream& file, const std::string& path) {
  Trace trace{&path, files_ == 1 ? -1 : next_++, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  read_chakra(file, path, [&](ChakraNode&& node) { take_node(trace, std::move(node)); });
  if (trace.tasks.empty()) throw InputError(path + ": no nodes");
  resolve_groups(trace);
  const auto before = predecessors(trace);
  append(trace, before, order_of(trace, before));
}

void ChakraGraph::fail(const Trace& trace, const ChakraNode& node, const std::string& what) {
  throw InputError(*trace.path + ": " + node.place() + ": " + what);
}

std::string ChakraGraph::name_in(const Trace& trace, Index task) {
  return "node " + std::to_string(trace.ids[task]) + " '" + trace.tasks[task].name + "'";
}

void ChakraGraph::fail(const Trace& trace, Index task, const std::string& what) {
  throw InputError(*trace.path + ": byte " + std::to_string(trace.offsets[task]) + ": " + name_in(trace, task) + ": " +
                   what);
}

Tick ChakraGraph::duration(const Trace& trace, const ChakraNode& node) const {
  constexpr double most = 1e18;  // ps: eleven days
  const double ps = static_cast<double>(node.micros) * 1e6 * options_.scale;
  if (!(ps <= most)) fail(trace, node, "a duration of " + std::to_string(node.micros) + " us (legal: below 10^12 us)");
  return static_cast<Tick>(std::llround(ps));
}

Work ChakraGraph::compute_work(const Trace& trace, const ChakraNode& node) {
  const bool untimed = node.micros == 0, counted = node.operations.value_or(0) > 0;
  ++compute_.all;
  compute_.untimed += untimed;
  compute_.operations += untimed && counted;
  if (options_.times == TraceTimes::roofline) {
    if (!node.operations) fail(trace, node, "no attribute num_ops, which compute.model = roofline needs");
    if (!node.tensor_bytes) fail(trace, node, "no attribute tensor_size, which compute.model = roofline needs");
    return Work::of_roofline(*node.operations, *node.tensor_bytes);
  }
  if (options_.times == TraceTimes::trace || !untimed || !counted) return Work::of_time(duration(trace, node));
  ++compute_.estimated;
  return Work::of_roofline(*node.operations, node.tensor_bytes.value_or(0));
}

/// Warns if operations replace durations, and if nothing gives compute a time; refuses durations of a generated trace, which
/// has none. A recorded trace has some nodes of less than
/// 1 us, which is a duration of 0.
void ChakraGraph::warn_of_times() {
  if (options_.times == TraceTimes::roofline) return;
  const auto nodes = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " compute node" : " compute nodes"); };
  if (compute_.estimated > 0)
    graph_.warnings.push_back(path_ + ": " + nodes(compute_.estimated) +
                              " with operations and no duration: the roofline (compute.peak, compute.memory_rate, "
                              "compute.launch) gives the time");
  else if (compute_.operations == compute_.all && compute_.all > 0)
    throw InputError(
        path_ + ": " + nodes(compute_.all) +
        " with operations and no duration, of which compute.model=trace has no time (legal: compute.model=roofline)");
  else if (compute_.operations > 0)
    graph_.warnings.push_back(path_ + ": " + nodes(compute_.operations) +
                              " with operations and no duration take no time (legal: compute.model=roofline)");
  if (compute_.all > 0 && compute_.untimed == compute_.all && compute_.operations == 0)
    graph_.warnings.push_back(path_ + ": " + nodes(compute_.all) +
                              " without duration and operations (num_ops): computation takes no time");
}

TaskGraph ChakraGraph::take() {
  warn_of_times();
  return std::move(graph_);
}

void ChakraGraph::take_node(Trace& trace, ChakraNode&& node) {
  if (trace.tasks.size() == std::numeric_limits<std::int32_t>::max())
    fail(trace, node, "too many nodes (legal: below 2^31)");
  const auto index = static_cast<Index>(trace.tasks.size());
  Task task;
  task.name = node.name;
  task.rank = trace.rank;
  task.kind = TaskKind::mark;
  bool host = node.on_cpu, storage = false;
  switch (node.type) {
    case ChakraType::invalid:  // ASTRA-sim skips both types, too
      host = false;
      break;
    case ChakraType::metadata:
      take_groups(trace, node);
      host = false;
      break;
    case ChakraType::load:
    case ChakraType::store:
      storage = true;
      host = false;
      task.delay = duration(trace, node);
      break;
    case ChakraType::storage:
    case ChakraType::batch:
    case ChakraType::checkpoint:
      fail(trace, node,
           "a node of type " + std::to_string(static_cast<int>(node.type)) + ", " + name_of(node.type) +
               ", is not simulated (legal: types 0 to 7)");
    case ChakraType::compute:
    case ChakraType::collective:
    case ChakraType::send:
    case ChakraType::receive:
      if (host) {  // the host's call of a transfer is not a transfer
        task.delay = duration(trace, node);
      } else if (node.type == ChakraType::collective) {
        take_collective(trace, node, task);
      } else if (node.type != ChakraType::compute) {
        take_transfer(trace, node, task);
      } else {
        task.kind = TaskKind::compute;
        task.work = compute_work(trace, node);
      }
  }
  for (const std::uint64_t id : node.data_deps) trace.data.emplace_back(index, id);
  for (const std::uint64_t id : node.control_deps) trace.control.emplace_back(index, id);
  if (moves(task.kind)) {
    if (!node.group.empty()) trace.group_names.emplace_back(index, node.group);
    if (node.priority) trace.urgent.emplace_back(index, *node.priority);
  }
  trace.tasks.push_back(std::move(task));
  trace.ids.push_back(node.id);
  trace.offsets.push_back(node.offset);
  trace.host.push_back(host);
  trace.storage.push_back(storage);
}

void ChakraGraph::take_collective(Trace& trace, const ChakraNode& node, Task& task) const {
  if (!node.type_number)
    fail(trace, node, "a collective without attribute comm_type (legal: 0 to 9, and its bytes in comm_size)");
  if (*node.type_number >= chakra_collectives.size())
    fail(trace, node, "unknown comm_type " + std::to_string(*node.type_number) + " (legal: 0 to 9)");
  const ChakraCollective& type = chakra_collectives[static_cast<std::size_t>(*node.type_number)];
  if (type.here == nullptr) fail(trace, node, std::string(type.there) + " is not simulated");
  if (node.part_of_dimensions && node.group.empty())
    fail(trace, node,
         "involved_dim excludes dimensions of the network (legal: a process group, pg_name, that lists the ranks)");
  const std::uint64_t bytes = node.bytes.value_or(0);
  const bool barrier = collective_of(type.here).signals();
  if (bytes == 0 && !barrier) return;  // moves no data: stays a mark
  task.kind = TaskKind::collective;
  task.transfer.collective = type.here;
  task.transfer.bytes = bytes == 0 ? block_bytes : bytes;
  task.transfer.type = options_.type;
  if (node.source) {
    if (*node.source >= static_cast<std::uint64_t>(graph_.ranks))
      fail(trace, node,
           "comm_src " + std::to_string(*node.source) + " (legal: 0 to " + std::to_string(graph_.ranks - 1) + ")");
    task.transfer.root = static_cast<int>(*node.source);  // replaced by the index in the group later
  } else {
    task.transfer.root = -1;
  }
}

void ChakraGraph::take_transfer(Trace& trace, const ChakraNode& node, Task& task) const {
  const bool send = node.type == ChakraType::send;
  if (trace.rank < 0)
    fail(trace, node,
         std::string(send ? "a send" : "a receive") +
             " in a trace for all ranks (legal: PREFIX.0.et, PREFIX.1.et, ...: one per rank)");
  const auto& peer = send ? node.destination : node.source;
  const char* name = send ? "comm_dst" : "comm_src";
  if (!peer) fail(trace, node, std::string("no attribute ") + name);
  if (*peer >= static_cast<std::uint64_t>(graph_.ranks) || static_cast<int>(*peer) == trace.rank)
    fail(trace, node,
         std::string(name) + " " + std::to_string(*peer) + " (legal: another rank, 0 to " +
             std::to_string(graph_.ranks - 1) + ")");
  const auto& own = send ? node.source : node.destination;
  if (own && *own != static_cast<std::uint64_t>(trace.rank))
    fail(trace, node,
         "the local end is rank " + std::to_string(*own) + ", but this is the trace of rank " + std::to_string(trace.rank));
  if (node.bytes.value_or(0) == 0) fail(trace, node, "no bytes (attribute comm_size; legal: from 1)");
  if (node.tag.value_or(0) > std::numeric_limits<std::uint32_t>::max())
    fail(trace, node, "comm_tag " + std::to_string(*node.tag) + " (legal: below 2^32)");
  task.kind = send ? TaskKind::send : TaskKind::receive;
  task.transfer.bytes = *node.bytes;
  task.transfer.type = options_.type;
  task.transfer.peer = static_cast<int>(*peer);
  task.transfer.tag = static_cast<std::uint32_t>(node.tag.value_or(0));
}

void ChakraGraph::take_groups(Trace& trace, const ChakraNode& node) const {
  for (const ChakraGroup& group : node.groups) {
    std::vector<int> ranks;
    for (const std::uint64_t rank : group.ranks) {
      if (rank >= static_cast<std::uint64_t>(graph_.ranks))
        fail(trace, node,
             "process group '" + group.name + "' has rank " + std::to_string(rank) + " (legal: 0 to " +
                 std::to_string(graph_.ranks - 1) + ")");
      ranks.push_back(static_cast<int>(rank));
    }
    if (ranks.empty()) ranks = graph_.groups.front().ranks;
    trace.groups[group.name] = std::move(ranks);
  }
}

}  // namespace tributary::training
