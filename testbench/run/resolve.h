#pragma once
/// Settles what a run leaves open: automatic parameters, and combinations that cannot work.

#include "testbench/run/run_spec.h"

namespace tributary {

/// Parameters with no automatic values left (docs/systems/klenk.md#figures: tables and waves as in the paper's figures).
/// Throws SetupError on combinations that no simulation can run. With several jobs, tables and waves are the largest that
/// one of them asks for.
PlatformParams resolve_parameters(const RunSpec& spec);

/// Wave counters of a job's GPUs.
std::uint32_t waves_of(const RunSpec& spec, const JobSpec& job);

}  // namespace tributary
