#pragma once
/// An algorithm carried out on sums of input chunks, step by step.

#include <string>
#include <vector>

#include "testbench/interchange/msccl/memory.h"

namespace tributary::msccl {

class Execution {
 public:
  /// References must outlive it. All inputs are there.
  Execution(const StepGraph& graph, const Layout& layout, const Extent& extent, Sums& sums);

  /// The steps before it in an order of execution have been carried out. False when it reads what was never written, and
  /// error() says so.
  bool run(std::size_t node);
  const std::string& error() const { return error_; }

  /// What a chunk of a GPU's memory holds.
  int value(int gpu, std::size_t chunk) const { return memory_[static_cast<std::size_t>(gpu)][chunk]; }
  /// What a step sent, chunk by chunk.
  const std::vector<int>& sent(std::size_t node) const { return sent_[node]; }

  /// Why the outputs are not what the collective says, with that root; empty: they are.
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
