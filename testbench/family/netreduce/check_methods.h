#pragma once
/// Which methods can run where.

#include "platforms/netreduce/platform_params.h"
#include "platforms/topology/racks.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Throws SetupError, one line, on jobs whose method this machine, or this choice of ranks, cannot carry out.
void check_methods(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine);

}  // namespace tributary
