#pragma once
/// Proof that a graph can run, before anything runs.

#include "testbench/workload/training/instances.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Throws InputError, one line with the tasks by name: a cycle (its tasks in order; the order of a stream counts where tasks
/// start as listed), what Instances refuses, a collective that does not exist, a transfer of no bytes, two operations on
/// overlapping bytes of a group's buffer that nothing keeps apart.
void check(const TaskGraph& graph);

/// Instances that `instance` waits for beside `after`, by the order of a stream alone: the one listed before it on its
/// stream of the compute engine or of communication, where tasks start as listed.
class StreamOrder {
 public:
  StreamOrder(const TaskGraph& graph, const Instances& instances);
  /// Instances::none: the first of its stream, or on none.
  InstanceId before(InstanceId instance) const { return before_[instance]; }

 private:
  std::vector<InstanceId> before_;
};

/// Every instance once, each after all that it waits for; those of a meeting after all that any of them waits for, and
/// next to each other. Throws InputError with the cycle.
std::vector<InstanceId> topological_order(const TaskGraph& graph, const Instances& instances, const StreamOrder& streams);

}  // namespace tributary::training
