#pragma once
/// Checks that both modes simulate the same events.

#include <vector>

#include "testbench/test/harness/forked_run.h"

namespace tributary {

/// Runs `spec` in both modes, and checks that the runs agree in everything, and are right, complete and within their
/// bound. Returns the runs of the windowed mode.
std::vector<Run> check_modes(const RunSpec& spec);

/// Checks that both modes of a run with a block of a user are the run of the model. Returns the row of the model's first
/// message.
ResultRow check_block(const RunSpec& block, const RunSpec& model);

}  // namespace tributary
