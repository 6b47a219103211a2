#pragma once
/// Size of the graph of all ranks, from the graph of their representatives.

#include <cstdint>

#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

struct GraphSize {
  std::uint64_t tasks = 0;      ///< nodes of the graph
  std::uint64_t instances = 0;  ///< tasks of all ranks together

  /// Returns about the memory of the graph and its run, in bytes (measured; test_rank_classes).
  std::uint64_t bytes() const { return tasks * 900 + instances * 300; }
};

/// Returns the size of the graph whose ranks all have tasks. `graph`: that of their representatives, or the graph itself.
GraphSize size_of_all(const TaskGraph& graph);

}  // namespace tributary::training
