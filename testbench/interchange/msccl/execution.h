#pragma once
/// Symbolic execution of an algorithm on sums of input chunks, step by step.

#include <string>
#include <vector>

#include "testbench/interchange/msccl/memory.h"

namespace tributary::msccl {

class Execution {
 public:
  /// The references must outlive the execution. All inputs are present from the start.
  Execution(const StepGraph& graph, const Layout& layout, const Extent& extent, Sums& sums);

  /// Executes a step. All steps before it in an order of execution must have run. Returns false if the step reads a place
  /// that was never written; error() then holds the reason.
  bool run(std::size_t node);
  const std::string& error() const { return error_; }

  /// Returns the content of a chunk of a GPU's memory.
  int value(int gpu, std::size_t chunk) const { return memory_[static_cast<std::size_t>(gpu)][chunk]; }
  /// Returns the chunks that a step sent.
  const std::vector<int>& sent(std::size_t node) const { return sent_[node]; }

  /// Returns the reason why the outputs are not those of the collective with that root; empty if they are.
  std::string wrong_output(int root);

 private:
  int read(std::size_t node, const Place& place, int chunk);

  const StepGraph& graph_;
  const Layout& layout_;
  Extent extent_;
  Sums& sums_;
  std::vector<std::vector<int>> memory_, sent_;
  std::string error_;
};

}  // namespace tributary::msccl
