#pragma once
/// Bottlenecks of runs on machines of NVSwitches (docs/limit.md).

#include "platforms/nvswitch/platform_params.h"
#include "testbench/run/limit_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// `params`: without automatic values.
LimitRules nvswitch_limits(const RunSpec& spec, const NvSwitchPlatformParams& params);

}  // namespace tributary
