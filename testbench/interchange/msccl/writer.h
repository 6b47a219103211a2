#pragma once
/// Writes MSCCL XML.

#include <string>

#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

/// All attributes, also the optional ones, in the order of msccl-tools; a step to a line. `hasdep` is 1 where another step
/// depends on the step.
std::string xml_of(const Algorithm& algorithm);

}  // namespace tributary::msccl
