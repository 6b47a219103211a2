#include "testbench/workload/training/graph_size.h"

#include <algorithm>

namespace tributary::training {

GraphSize size_of_all(const TaskGraph& graph) {
  GraphSize size;
  for (const Task& task : graph.tasks) {
    const std::uint64_t equal = moves(task.kind) ? graph.represented(task) : 1;
    size.tasks += equal;
    size.instances += equal * (task.rank >= 0 ? 1 : graph.groups[task.group].ranks.size());
  }
  return size;
}

}  // namespace tributary::training
