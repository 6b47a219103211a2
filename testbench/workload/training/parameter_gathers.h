#pragma once
/// All-gathers of sharded parameters in a pass of a distributed model (ZeRO-3, FSDP).

#include <vector>

#include "testbench/workload/training/stage_graph.h"

namespace tributary::training {

/// The layers of a pass are gathered in the order of their use. A gather begins when the layer `prefetch` + 1 before it is
/// done; the first `prefetch` + 1 begin with the pass. Without Sharding::all nothing is gathered.
class ParameterGathers {
 public:
  /// `order`: layers in the order of their use. `begin`: tasks that the pass waits for.
  ParameterGathers(StageGraph& graph, std::vector<std::size_t> order, TaskIds begin);

  /// Adds the gathers up to `prefetch` layers after l, and returns those that the layer waits for.
  const TaskIds& before(std::size_t l);
  /// Says which tasks use the layer's parameters last, up to now.
  void used(std::size_t l, const TaskIds& tasks);

 private:
  std::size_t position(std::size_t l) const;

  StageGraph& graph_;
  std::vector<std::size_t> order_;
  TaskIds begin_;
  std::vector<TaskIds> gathered_, used_;  ///< by position in the order
  std::size_t next_ = 0;                  ///< position of the next gather
  const TaskIds none_ = {};
};

}  // namespace tributary::training
