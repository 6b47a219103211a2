#pragma once

#include "testbench/family/blink/parameters.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// True if the run has one job, over trees, so that a chunk of it can be followed.
bool follows_chunks(const RunSpec& spec);
/// Returns `params` with every automatic value set. Throws SetupError for combinations that cannot be simulated.
BlinkParams resolve_blink(const RunSpec& spec, BlinkParams params);

}  // namespace tributary
