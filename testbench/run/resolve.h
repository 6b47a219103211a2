#pragma once
/// Replaces automatic parameters, and refuses combinations that cannot work.

#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the parameters without automatic values. Throws SetupError on combinations that cannot be simulated, in general
/// or on this platform.
RunParameters resolve_parameters(const RunSpec& spec);

/// Runs all checks that do not need an elaborated platform, and returns the parameters without automatic values. Throws
/// SetupError, ScheduleError or std::invalid_argument, one line.
RunParameters check_run(const RunSpec& spec);

}  // namespace tributary
