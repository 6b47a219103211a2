#pragma once
/// Settles what a run leaves open: automatic parameters, and combinations that cannot work.

#include "testbench/run/run_spec.h"

namespace tributary {

/// Parameters with no automatic values left. Throws SetupError on combinations that no simulation can run, of any family or
/// of the platform's own.
RunParameters resolve_parameters(const RunSpec& spec);

/// All that a run refuses before its platform stands. Throws SetupError, ScheduleError, std::invalid_argument, one line.
void check_run(const RunSpec& spec);

}  // namespace tributary
