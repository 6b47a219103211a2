#include "testbench/workload/training/device_step.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "modules/protocol/segmentation.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/graph_check.h"

namespace tributary::training {
namespace {

constexpr std::uint32_t most_streams = 8;

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw InputError("--fidelity full: " + what + " (legal: " + legal + ")");
}

void check_orders(const TaskGraph& graph) {
  if (graph.comm_order != Order::listed)
    refuse("ranks agree on the next message by a coordinator, which no device is", "comm.order=fifo, or --fidelity memo");
  if (graph.compute_order != Order::listed) refuse("tasks of this graph start as they become ready", "--fidelity memo");
  if (graph.credit > 0 && graph.issue == Issue::pipelined)
    refuse("comm.credit beside comm.issue=pipelined", "comm.issue=serial, or --fidelity memo");
}

void check_task(const TaskGraph& graph, TaskId id, const std::string& collective, ElementType type) {
  const Task& task = graph.tasks[id];
  if (task.kind == TaskKind::send || task.kind == TaskKind::receive)
    refuse(name_of(graph, id) + " is a send or a receive", "--fidelity memo");
  if (task.kind != TaskKind::collective) return;
  const Transfer& t = task.transfer;
  if (t.collective != collective)
    refuse(name_of(graph, id) + " is a collective other than " + collective, "--fidelity memo");
  if (t.type != type) refuse(name_of(graph, id) + " has another element type", "one type, or --fidelity memo");
  if (graph.groups.at(task.group).ranks.size() != static_cast<std::size_t>(graph.ranks) || graph.ranks < 2)
    refuse(name_of(graph, id) + " is not of all ranks", "collectives of all ranks, or --fidelity memo");
  if (task.stream >= most_streams)
    refuse(name_of(graph, id) + " has stream " + std::to_string(task.stream),
           "streams 0 to " + std::to_string(most_streams - 1) + ", or --fidelity memo");
}

/// Parts as large as the messages, each where it is spread over links as at address 0.
std::vector<JobStep::Part> parts_of(const TaskGraph& graph, const Instances& instances) {
  constexpr std::uint64_t window = 4096;  // blocks
  std::vector<JobStep::Part> parts;
  std::uint64_t free = 0;
  for (std::uint32_t m = 0; m < instances.meetings(); ++m) {
    const Task& task = graph.tasks[instances.task(*instances.members(m).begin())];
    const std::uint64_t bytes = task.transfer.bytes;
    std::uint64_t aligned = 1;
    while (aligned < std::min(window, blocks_of(bytes))) aligned *= 2;
    const std::uint64_t block = (free + aligned - 1) / aligned * aligned;
    parts.push_back({block * block_bytes, bytes, task.stream});
    free = block + blocks_of(bytes);
  }
  return parts;
}

/// By meeting or single instance: what the critical path and slack see as one.
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

  /// Units as they ended, each after all that it waited for.
  std::vector<InstanceId> ordered(const IdealRun& run) const {
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

/// The engine's tasks of a rank as they began, and the operations of each of its streams.
void find_engine_before(const TaskGraph& graph, IdealRun& run) {
  using Place = std::tuple<int, bool, std::uint32_t>;  // rank, communication, stream
  std::map<Place, std::vector<InstanceId>> users;
  for (InstanceId i = 0; i < run.instances.size(); ++i) {
    const Task& task = graph.tasks[run.instances.task(i)];
    if (task.kind == TaskKind::mark) continue;
    const bool moving = moves(task.kind);
    users[{run.instances.rank(i), moving, moving ? task.stream : 0}].push_back(i);
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

DeviceStep device_step(const TaskGraph& graph, const std::string& collective, ElementType type, const Stragglers& stragglers,
                       const OperationCost& cost) {
  check(graph);
  check_orders(graph);
  for (TaskId t = 0; t < graph.tasks.size(); ++t) check_task(graph, t, collective, type);
  DeviceStep made{{}, Instances(graph), std::vector<std::vector<InstanceId>>(static_cast<std::size_t>(graph.ranks))};
  const Instances& instances = made.instances;
  made.step.operations = parts_of(graph, instances);
  for (const JobStep::Part& part : made.step.operations) made.step.streams = std::max(made.step.streams, part.stream + 1);
  if (made.step.operations.empty()) refuse("the graph has no collective", "--fidelity memo");
  made.step.programs.resize(made.tasks.size());
  std::vector<std::uint32_t> number(instances.size());  // on its device
  for (InstanceId i = 0; i < instances.size(); ++i) {
    auto& mine = made.tasks[static_cast<std::size_t>(instances.rank(i))];
    number[i] = static_cast<std::uint32_t>(mine.size());
    mine.push_back(i);
  }
  for (std::size_t r = 0; r < made.tasks.size(); ++r) {
    TaskProgram& program = made.step.programs[r];
    program.pipelined = graph.issue == Issue::pipelined;
    Tick busy = 0;
    for (InstanceId i : made.tasks[r]) {
      const Task& task = graph.tasks[instances.task(i)];
      DeviceTask& t = program.tasks.emplace_back();
      t.stream = task.stream;
      t.waits = static_cast<std::uint32_t>(instances.before(i).size());
      for (InstanceId next : instances.next(i)) t.next.push_back(number[next]);
      if (on_engine(task.kind)) {
        t.time = stragglers.time(graph, instances.task(i), instances.rank(i));
      } else if (task.kind == TaskKind::mark) {
        t.kind = DeviceTask::Kind::mark;
        t.time = task.delay;
      } else {
        t.kind = DeviceTask::Kind::operation;
        t.operation = instances.meeting_of(i);
        t.time = cost.launch;
        t.multiprocessors = cost.multiprocessors;
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
  run.order = Units(instances).ordered(run);
  return run;
}

}  // namespace tributary::training
