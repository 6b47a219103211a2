#pragma once
/// Writes MSCCL XML.

#include <string>

#include "testbench/interchange/msccl/algorithm.h"

namespace tributary::msccl {

/// Returns the file of an algorithm: all attributes, including optional ones, in the order of msccl-tools, with a line for
/// each step. `hasdep` is 1 if another step depends on the step.
std::string xml_of(const Algorithm& algorithm);

}  // namespace tributary::msccl
