#pragma once

#include "testbench/family/blink/parameters.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns `params` with every automatic value set. Throws SetupError for combinations that cannot be simulated.
BlinkParams resolve_blink(const RunSpec& spec, BlinkParams params);

}  // namespace tributary
