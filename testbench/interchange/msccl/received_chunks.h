#pragma once
/// What becomes of chunks that a step receives and does not send on.

#include <map>
#include <utility>
#include <vector>

#include "testbench/interchange/msccl/memory.h"

namespace tributary::msccl {

enum class Take : std::uint8_t {
  unused,   ///< is never read, and is no output
  reduced,  ///< one reduction (`re`) reads it, and nothing else
  copied    ///< anything else
};

/// (step of type `r`, chunk of it).
using Takes = std::map<std::pair<std::size_t, int>, Take>;

/// `order`: an execution of all steps.
Takes takes_of(const StepGraph& graph, const Layout& layout, const std::vector<std::size_t>& order);

}  // namespace tributary::msccl
