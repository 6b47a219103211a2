#pragma once

#include "platforms/nvswitch/platform_params.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the parameters without automatic values: tables and waves as in the paper's figures (Klenk et al., VI). With
/// several jobs, they are the largest that any job needs. Throws SetupError on combinations that cannot be simulated.
NvSwitchPlatformParams resolve_nvswitch(const RunSpec& spec);

/// Returns the number of wave counters of a job's GPUs.
std::uint32_t waves_of(const RunSpec& spec, const JobSpec& job);

}  // namespace tributary
