#pragma once
/// Checks that the machine can run the algorithms of the jobs.

#include "platforms/netreduce/platform_params.h"
#include "platforms/topology/racks.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Throws SetupError, one line, on jobs whose algorithm cannot run on this machine or on these ranks.
void check_algorithms(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine);

}  // namespace tributary
