#pragma once
/// Proof that a graph can run, before anything runs.

#include "testbench/workload/training/instances.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Throws InputError (one line with task names) on a cycle (its tasks in order; the order of a queue counts if tasks start
/// as listed), on input that Instances rejects, an unknown collective, a transfer of no bytes, and two operations on
/// overlapping bytes of a group's buffer that nothing orders.
void check(const TaskGraph& graph);

/// Order of instances by their queue alone, in addition to `after`: if tasks start as listed, an instance waits for the one
/// listed before it on its queue of the compute engine or of communication.
class QueueOrder {
 public:
  QueueOrder(const TaskGraph& graph, const Instances& instances);
  /// Returns the preceding instance; Instances::none for the first of a queue and for an instance on no queue.
  InstanceId before(InstanceId instance) const { return before_[instance]; }

 private:
  std::vector<InstanceId> before_;
};

/// Returns every instance once, each after all that it waits for. The instances of a meeting are adjacent, after all that
/// any of them waits for. Throws InputError with the cycle.
std::vector<InstanceId> topological_order(const TaskGraph& graph, const Instances& instances, const QueueOrder& queues);

}  // namespace tributary::training
