#include "testbench/workload/training/operations_in_flight.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace tributary::training {
namespace {

constexpr Tick trailing_acks = 1'000'000;  // ps: trailing packets of an operation are delivered within this time

/// One collective of a group, or one send.
struct Operation {
  Tick start, end;
  const Task* task;

  bool same_place(const Operation& other) const {
    const Task &a = *task, &b = *other.task;
    return start == other.start &&
           std::tie(a.name, a.iteration, a.micro_batch, a.queue, a.transfer.collective, a.transfer.bytes) ==
               std::tie(b.name, b.iteration, b.micro_batch, b.queue, b.transfer.collective, b.transfer.bytes);
  }
};

}  // namespace

bool may_meet(const TaskGraph& graph) {
  const Task* first = nullptr;
  for (const Task& task : graph.tasks) {
    if (!moves(task.kind)) continue;
    if (task.kind != TaskKind::collective) return true;
    if (graph.groups[task.group].ranks.size() < 2) continue;
    if (first == nullptr) first = &task;
    if (task.group != first->group || task.queue != first->queue) return true;
  }
  return first != nullptr && graph.issue == Issue::pipelined;
}

OperationsInFlight operations_in_flight(const TaskGraph& graph, const IdealRun& run) {
  OperationsInFlight seen;
  std::vector<Operation> operations;
  for (std::uint32_t m = 0; m < run.instances.meetings(); ++m) {
    const auto members = run.instances.members(m);
    Operation operation{0, 0, &graph.tasks[run.instances.task(*members.begin())]};
    const bool alone = operation.task->kind == TaskKind::collective && graph.groups[operation.task->group].ranks.size() < 2;
    if (alone) continue;  // moves nothing
    for (const InstanceId i : members) {
      operation.start = std::max(operation.start, run.spans[i].start);
      operation.end = std::max(operation.end, run.spans[i].end);
      seen.staggered = seen.staggered || run.spans[i].begin != run.spans[*members.begin()].begin;
    }
    operations.push_back(operation);
  }
  std::sort(operations.begin(), operations.end(),
            [](const Operation& a, const Operation& b) { return std::tie(a.start, a.end) < std::tie(b.start, b.end); });
  const Operation* last = nullptr;  // the operation before that ends last
  for (const Operation& operation : operations) {
    if (last != nullptr && operation.start < last->end)
      (operation.same_place(*last) ? seen.side_by_side : seen.at_once) = true;
    else if (last != nullptr && operation.start < last->end + trailing_acks)
      seen.close = true;
    if (last == nullptr || operation.end >= last->end) last = &operation;
  }
  return seen;
}

}  // namespace tributary::training
