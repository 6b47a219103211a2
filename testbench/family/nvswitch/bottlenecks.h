#pragma once
/// Bottlenecks of runs on machines of NVSwitches (docs/bottleneck.md).

#include "platforms/nvswitch/platform_params.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// `params`: without automatic values.
BottleneckRules nvswitch_bottlenecks(const RunSpec& spec, const NvSwitchPlatformParams& params);

}  // namespace tributary
