#pragma once
/// Groups of the ranks that a model is distributed over, numbered as in model_parallel.h.

#include <vector>

#include "testbench/workload/training/parallel_degrees.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

class ParallelGroups {
 public:
  /// Adds the groups to the graph. `classes`: of equal groups only the first (Group::shifts).
  ParallelGroups(const ParallelDegrees& degrees, unsigned replicas, TaskGraph& graph, bool classes = false);

  int rank(unsigned of_stage, unsigned replica, unsigned part) const {
    return static_cast<int>((of_stage * replicas_ + replica) * degrees_.tensor + part);
  }

  std::vector<GroupId> stage;  ///< all ranks of each stage
  /// By stage: ranks that share a layer; equal slices in all replicas; ranks that share experts; ranks with the same
  /// experts; ranks that divide the tokens of a sequence.
  std::vector<std::vector<GroupId>> tensor, replicas, experts, same_experts, context;

 private:
  template <class Member>
  GroupId group(TaskGraph& graph, const char* name, std::size_t number, unsigned size, Member member) const;
  template <class Member>
  std::vector<GroupId> equal_groups(TaskGraph& graph, const char* name, unsigned stage, unsigned number, unsigned size,
                                    Member member) const;
  void add_experts(TaskGraph& graph, unsigned stage);
  void add_context(TaskGraph& graph, unsigned stage);

  ParallelDegrees degrees_;
  unsigned replicas_;
  bool classes_;
};

}  // namespace tributary::training
