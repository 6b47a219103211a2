#pragma once
/// Uses of chunks that a step receives and does not send on.

#include <map>
#include <utility>
#include <vector>

#include "testbench/interchange/msccl/memory.h"

namespace tributary::msccl {

enum class Take : std::uint8_t {
  unused,   ///< never read, and not an output
  reduced,  ///< read only by one reduction (`re`)
  copied    ///< any other use
};

/// Uses by (step of type `r`, chunk of the step).
using Takes = std::map<std::pair<std::size_t, int>, Take>;

/// Returns the uses of all received chunks. `order` is an execution of all steps.
Takes takes_of(const StepGraph& graph, const Layout& layout, const std::vector<std::size_t>& order);

}  // namespace tributary::msccl
