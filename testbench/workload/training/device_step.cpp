#include "testbench/workload/training/device_step.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "modules/base/index.h"
#include "modules/protocol/segmentation.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/memory_layout.h"
#include "testbench/workload/training/graph_check.h"

namespace tributary::training {
namespace {

constexpr std::uint32_t most_queues = 8;

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw InputError("--fidelity full: " + what + " (legal: " + legal + ")");
}

void check_orders(const TaskGraph& graph) {
  if (graph.comm_order != Order::listed)
    refuse("the order of messages needs a coordinator of the ranks, which devices do not have",
           "comm.order=fifo, in a graph comm_order: listed, or --fidelity isolated");
  if (graph.compute_order != Order::listed)
    refuse("tasks of this graph start as they become ready", "compute_order: listed, or --fidelity isolated");
  if (graph.credit > 0 && graph.issue == Issue::pipelined)
    refuse("comm.credit cannot be combined with comm.issue=pipelined", "comm.issue=serial, or --fidelity isolated");
}

void check_task(const TaskGraph& graph, TaskId id, ElementType type) {
  const Task& task = graph.tasks[id];
  if (!moves(task.kind) || task.kind == TaskKind::receive) return;
  if (task.transfer.type != type)
    refuse(name_of(graph, id) + " has another element type", "one type, or --fidelity isolated");
  if (task.queue >= most_queues)
    refuse(name_of(graph, id) + " is on queue " + std::to_string(task.queue),
           "queues 0 to " + std::to_string(most_queues - 1) + ", or --fidelity isolated");
}

/// Buffers of operations, and their numbers on each device.
class Operations {
 public:
  Operations(const TaskGraph& graph, const Instances& instances, const AlgorithmOf& algorithm_of)
      : count_(at(graph.ranks)), number_(instances.size(), Instances::none), algorithm_of_(instances.size()) {
    for (std::uint32_t m = 0; m < instances.meetings(); ++m) add(graph, instances, m, algorithm_of);
    place_groups(at(graph.ranks));
  }

  std::vector<JobStep::Part> parts;

  /// Returns the operation number on its device; none: no data to move.
  std::uint32_t number(InstanceId i) const { return number_[i]; }
  /// Returns the method of a task that has a number.
  const OperationAlgorithm& algorithm(InstanceId i) const { return algorithms_[algorithm_of_[i]]; }
  std::uint32_t count(std::size_t rank) const { return count_[rank]; }

 private:
  void add(const TaskGraph& graph, const Instances& instances, std::uint32_t meeting, const AlgorithmOf& algorithm_of) {
    std::vector<InstanceId> ends(instances.members(meeting).begin(), instances.members(meeting).end());
    const Task& task = graph.tasks[instances.task(ends.front())];
    JobStep::Part part;
    part.send = task.kind == TaskKind::send;
    if (part.send) ends.push_back(instances.partner(ends.front()));
    if (ends.size() < 2) return;
    if (part.send)
      for (InstanceId i : ends) part.members.push_back(instances.rank(i));
    else
      part.members = graph.groups.at(task.group).ranks;
    algorithms_.push_back(algorithm_of(task, part.members));
    part.collective = part.send ? "broadcast" : task.transfer.collective, part.algorithm = algorithms_.back().algorithm;
    part.root = part.send ? 0 : task.transfer.root, part.queue = task.queue;
    part.bytes = std::max<std::uint64_t>(task.transfer.bytes, element_size(task.transfer.type));
    part.buffer_bytes = buffer_bytes(part, task.transfer.type);
    place(part);
    for (InstanceId i : ends) {
      number_[i] = count_[at(instances.rank(i))]++;
      algorithm_of_[i] = algorithms_.size() - 1;
    }
    parts.push_back(std::move(part));
  }

  static std::uint64_t buffer_bytes(const JobStep::Part& part, ElementType type) {
    JobSpec job;
    job.collective = part.collective, job.ranks = part.members, job.type = type;
    return MemoryLayout::of(job, tributary::bytes(part.bytes)).mailboxes;
  }

  /// Places an operation in the buffer of its group, where it is spread over links as at address 0.
  void place(JobStep::Part& part) {
    const std::uint64_t blocks = blocks_of(part.buffer_bytes);
    std::uint64_t aligned = 1, &free = blocks_[part.members];
    while (aligned < std::min(window, blocks)) aligned *= 2;
    free = round_up(free, aligned);
    part.first = free * block_bytes;
    free += blocks;
  }

  /// Places the groups one after another in the memory of each rank.
  void place_groups(std::size_t ranks) {
    std::vector<std::uint64_t> free(ranks, 0);
    std::map<std::vector<int>, std::uint64_t> base;
    for (const auto& [members, blocks] : blocks_) {
      std::uint64_t& first = base[members] = 0;
      for (const int rank : members) first = std::max(first, round_up(free[at(rank)], window));
      for (const int rank : members) free[at(rank)] = first + blocks;
    }
    for (JobStep::Part& part : parts) part.first += base.at(part.members) * block_bytes;
  }

  static constexpr std::uint64_t window = 4096;  // blocks
  static std::uint64_t round_up(std::uint64_t blocks, std::uint64_t to) { return (blocks + to - 1) / to * to; }

  std::map<std::vector<int>, std::uint64_t> blocks_;  // by members: blocks of all their ranges
  std::vector<std::uint32_t> count_;                  // by rank
  std::vector<std::uint32_t> number_;
  std::vector<OperationAlgorithm> algorithms_;
  std::vector<std::size_t> algorithm_of_;  // by instance: index in methods_
};

/// Meetings and single instances, which the critical path and slack treat as units.
class Units {
 public:
  Units(const Instances& instances) : instances_(instances), unit_of_(instances.size()) {
    for (InstanceId i = 0; i < instances.size(); ++i) {
      const std::uint32_t m = instances.meeting_of(i);
      if (m != Instances::none && *instances.members(m).begin() != i) continue;
      if (m == Instances::none)
        unit_of_[i] = static_cast<std::uint32_t>(members_.size()), members_.push_back({i});
      else {
        for (InstanceId member : instances.members(m)) unit_of_[member] = static_cast<std::uint32_t>(members_.size());
        members_.emplace_back(instances.members(m).begin(), instances.members(m).end());
      }
    }
  }

  /// Returns the instances by the end of their unit, each unit after those it waited for.
  std::vector<InstanceId> ordered(const TaskGraph& graph, const IdealRun& run) const {
    std::vector<std::size_t> waits(members_.size());
    std::vector<std::vector<std::uint32_t>> next(members_.size());
    const auto edge = [&](InstanceId from, std::uint32_t to) {
      if (unit_of_[from] != to) next[unit_of_[from]].push_back(to), ++waits[to];
    };
    std::vector<Tick> end(members_.size());
    for (std::uint32_t u = 0; u < members_.size(); ++u)
      for (InstanceId i : members_[u]) {
        end[u] = std::max(end[u], run.spans[i].end);
        for (InstanceId before : instances_.before(i)) edge(before, u);
        if (run.engine_before[i] != Instances::none) edge(run.engine_before[i], u);
        if (graph.tasks[instances_.task(i)].kind == TaskKind::receive) edge(instances_.partner(i), u);
      }
    using Entry = std::pair<Tick, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (std::uint32_t u = 0; u < members_.size(); ++u)
      if (waits[u] == 0) ready.emplace(end[u], u);
    std::vector<InstanceId> order;
    for (; !ready.empty();) {
      const std::uint32_t u = ready.top().second;
      ready.pop();
      order.insert(order.end(), members_[u].begin(), members_[u].end());
      for (std::uint32_t n : next[u])
        if (--waits[n] == 0) ready.emplace(end[n], n);
    }
    return order;
  }

 private:
  const Instances& instances_;
  std::vector<std::uint32_t> unit_of_;
  std::vector<std::vector<InstanceId>> members_;
};

/// Sets `engine_before` for the engine's tasks of a rank and for the operations of each of its queues, in order of their
/// begin.
void find_engine_before(const TaskGraph& graph, IdealRun& run) {
  using Place = std::tuple<int, bool, std::uint32_t>;  // rank, communication, queue
  std::map<Place, std::vector<InstanceId>> users;
  for (InstanceId i = 0; i < run.instances.size(); ++i) {
    const Task& task = graph.tasks[run.instances.task(i)];
    if (task.kind == TaskKind::mark || task.kind == TaskKind::receive) continue;
    const bool moving = moves(task.kind);
    users[{run.instances.rank(i), moving, moving ? task.queue : 0}].push_back(i);
  }
  for (auto& entry : users) {
    auto& list = entry.second;
    std::stable_sort(list.begin(), list.end(), [&](InstanceId a, InstanceId b) {
      return std::pair(run.spans[a].begin, run.spans[a].end) < std::pair(run.spans[b].begin, run.spans[b].end);
    });
    for (std::size_t k = 1; k < list.size(); ++k) run.engine_before[list[k]] = list[k - 1];
  }
}

}  // namespace

DeviceStep device_step(const TaskGraph& graph, ElementType type, const AlgorithmOf& algorithm_of,
                       const Stragglers& stragglers) {
  check(graph);
  check_orders(graph);
  for (TaskId t = 0; t < graph.tasks.size(); ++t) check_task(graph, t, type);
  DeviceStep made{{}, Instances(graph), std::vector<std::vector<InstanceId>>(at(graph.ranks))};
  const Instances& instances = made.instances;
  const Operations operations(graph, instances, algorithm_of);
  made.step.operations = operations.parts;
  for (const JobStep::Part& part : made.step.operations) made.step.queues = std::max(made.step.queues, part.queue + 1);
  for (std::size_t r = 0; r < made.tasks.size(); ++r)
    if (operations.count(r) == 0) refuse("rank " + std::to_string(r) + " moves no data", "--fidelity isolated");
  made.step.programs.resize(made.tasks.size());
  std::vector<std::uint32_t> number(instances.size());  // task number on its device
  for (InstanceId i = 0; i < instances.size(); ++i) {
    auto& mine = made.tasks[at(instances.rank(i))];
    number[i] = static_cast<std::uint32_t>(mine.size());
    mine.push_back(i);
  }
  for (std::size_t r = 0; r < made.tasks.size(); ++r) {
    TaskProgram& program = made.step.programs[r];
    program.pipelined = graph.issue == Issue::pipelined;
    Tick busy = 0;
    std::uint32_t receives = most_queues;
    for (InstanceId i : made.tasks[r]) {
      const Task& task = graph.tasks[instances.task(i)];
      DeviceTask& t = program.tasks.emplace_back();
      t.queue = task.queue;
      t.waits = static_cast<std::uint32_t>(instances.before(i).size());
      for (InstanceId next : instances.next(i)) t.next.push_back(number[next]);
      if (on_engine(task.kind)) {
        t.time = stragglers.time(graph, instances.task(i), instances.rank(i));
      } else if (operations.number(i) == Instances::none) {
        t.kind = DeviceTask::Kind::mark;
        t.time = task.delay;
      } else {
        t.kind = DeviceTask::Kind::operation;
        t.operation = operations.number(i);
        if (task.kind == TaskKind::receive) {
          t.queue = receives++;  // a queue of its own, so it blocks nothing
        } else {
          t.time = operations.algorithm(i).launch;
          t.multiprocessors = operations.algorithm(i).multiprocessors;
        }
      }
      busy += t.time;
    }
    made.step.busy = std::max(made.step.busy, busy);
  }
  return made;
}

IdealRun measured_run(const TaskGraph& graph, const DeviceStep& step, std::vector<Span> spans) {
  const Instances& instances = step.instances;
  IdealRun run{instances, std::move(spans), {}, std::vector<InstanceId>(instances.size(), Instances::none), false, 0};
  for (InstanceId i = 0; i < instances.size(); ++i) {
    Span& span = run.spans[i];
    if (span.begin == never) span.begin = span.ready;  // a mark
    span.start = span.begin;
    run.end = std::max(run.end, span.end);
  }
  for (std::uint32_t m = 0; m < instances.meetings(); ++m) {
    Tick start = 0;
    for (InstanceId i : instances.members(m)) start = std::max(start, run.spans[i].begin);
    for (InstanceId i : instances.members(m)) run.spans[i].start = start;
  }
  find_engine_before(graph, run);
  run.order = Units(instances).ordered(graph, run);
  return run;
}

}  // namespace tributary::training
