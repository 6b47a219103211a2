#pragma once

#include "testbench/family/blink/parameters.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// `params` without automatic values. Throws SetupError: what cannot be simulated.
BlinkParams resolve_blink(const RunSpec& spec, BlinkParams params);

}  // namespace tributary
