#pragma once
/// The path of a run on a machine of NVSwitches: latencies that follow one another (docs/bottleneck.md#paths).

#include <vector>

#include "platforms/nvswitch/platform_params.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the path of the first job's algorithm, in ps; empty if it takes long to find. `far`: links between the GPUs that
/// are farthest from each other. `params` has no automatic values.
std::vector<PathPart> nvswitch_path(const BottleneckInput& in, const RunSpec& spec, double far,
                                    const NvSwitchPlatformParams& params);

}  // namespace tributary
