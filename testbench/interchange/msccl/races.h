#pragma once
/// Steps of a GPU that touch one chunk in no certain order.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/interchange/msccl/memory.h"

namespace tributary::msccl {

/// What happens before what in every execution: by the order in thread blocks, dependencies and messages.
class HappensBefore {
 public:
  /// `order`: an execution of all steps. Throws InputError where that would take more memory than 512 MiB.
  HappensBefore(const StepGraph& graph, const std::vector<std::size_t>& order);
  /// `a` ends before `b` begins.
  bool operator()(std::size_t a, std::size_t b) const;

 private:
  const StepGraph& graph_;
  std::size_t threads_;
  std::vector<std::int32_t> clock_;  ///< [step][thread block] steps of it that have ended
};

/// The first two steps of different thread blocks of a GPU that touch a chunk, one of them writing, and may do so in either
/// order; empty: there are none.
std::string race(const StepGraph& graph, const Layout& layout, const std::vector<std::size_t>& order,
                 const HappensBefore& before);

}  // namespace tributary::msccl
