#pragma once

#include "platforms/nvswitch/platform_params.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Parameters with no automatic values left: tables and waves as in the paper's figures (Klenk et al., VI). With several
/// jobs, they are the largest that one of them asks for. Throws SetupError on combinations that no simulation can run.
NvSwitchPlatformParams resolve_nvswitch(const RunSpec& spec);

/// Wave counters of a job's GPUs.
std::uint32_t waves_of(const RunSpec& spec, const JobSpec& job);

}  // namespace tributary
