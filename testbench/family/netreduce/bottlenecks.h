#pragma once
/// Bottlenecks of runs on hosts on Ethernet (docs/bottleneck.md).

#include "platforms/netreduce/platform_params.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// `params`: without automatic values.
BottleneckRules netreduce_bottlenecks(const RunSpec& spec, const NetReducePlatformParams& params);

}  // namespace tributary
