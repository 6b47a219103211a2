#pragma once
/// Steps of a GPU that touch one chunk without a defined order.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/interchange/msccl/memory.h"

namespace tributary::msccl {

/// The order of steps that holds in every execution. It follows from thread blocks, dependencies and messages.
class HappensBefore {
 public:
  /// `order` is an execution of all steps. Throws InputError if the order would require more than 512 MiB of memory.
  HappensBefore(const StepGraph& graph, const std::vector<std::size_t>& order);
  /// Returns true if `a` ends before `b` begins.
  bool operator()(std::size_t a, std::size_t b) const;

 private:
  const StepGraph& graph_;
  std::size_t threads_;
  std::vector<std::int32_t> clock_;  ///< [step][thread block] number of its steps that have ended
};

/// Describes the first two steps of different thread blocks of a GPU that touch a chunk in either order, where one of them
/// writes it. Returns an empty text if there are none.
std::string race(const StepGraph& graph, const Layout& layout, const std::vector<std::size_t>& order,
                 const HappensBefore& before);

}  // namespace tributary::msccl
