#pragma once
/// Faults of frames on machines of hosts on Ethernet.

#include "platforms/netreduce/platform_params.h"
#include "platforms/topology/racks.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Throws SetupError, one line, on faults that match no frame of these jobs.
void check_faults(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine);

}  // namespace tributary
