#pragma once
/// End of an iteration of a distributed model: sums of gradients, optimizer, all-gather of parameters.

#include <map>
#include <vector>

#include "testbench/workload/training/stage_gradients.h"

namespace tributary::training {

class StageEnd {
 public:
  explicit StageEnd(StageGraph& graph);

  /// Adds the sums of gradients of weights that layers of two places share. `ready`: by layer, the last task of its
  /// gradients.
  void sum_tied(const TaskIds& ready);
  /// Adds the end of a place. `last`: tasks that end its passes. Returns the tasks that all tasks of the next iteration wait
  /// for; with `priority` none do, but forward of a layer waits for its `gate()`.
  TaskIds end(unsigned place, const TaskIds& ready, TaskIds last);
  /// Returns the tasks that forward of a layer waits for in the first micro-batch of an iteration.
  const TaskIds& gate(std::size_t l) const { return gates_[l]; }

 private:
  /// A message with the last task on it.
  struct Sum {
    const Message* message;
    const StageGradients::GroupPlan* plan;
    TaskIds last;
    std::uint32_t queue;
  };

  std::vector<GroupId> add_pairs(std::size_t l, unsigned p, unsigned q);
  bool shards_parameters() const;
  std::uint64_t own(std::uint64_t parameters, std::size_t members) const;
  std::uint32_t queue_of(std::size_t number) const;
  TaskIds collective(const char* name, Moved moved, const Sum& sum, const TaskIds& after);
  TaskIds sum_whole_weights(unsigned place, const TaskIds& after);
  TaskId update(unsigned place, const std::string& name, int l, std::uint64_t parameters, TaskIds after);
  std::vector<Sum> sum_gradients(unsigned place, const TaskIds& ready);
  std::uint64_t left_to_update(unsigned place) const;
  void open_gates(unsigned place, const std::vector<Sum>& sums, const TaskIds& others);

  StageGraph& graph_;
  StageGradients gradients_;
  std::map<std::size_t, std::vector<GroupId>> pairs_;
  std::map<std::size_t, TaskIds> tied_;  ///< by layer: sums of the weights that it shares
  std::vector<TaskIds> gates_;
};

}  // namespace tributary::training
