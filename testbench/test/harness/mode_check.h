#pragma once
/// Both engines must simulate the same thing.

#include <vector>

#include "testbench/test/harness/forked_run.h"

namespace tributary {

/// Runs `spec` with both engines, and checks that the runs do not differ in anything, and are right, complete and within
/// their bound. Returns those of the windowed engine.
std::vector<Run> check_modes(const RunSpec& spec);

}  // namespace tributary
