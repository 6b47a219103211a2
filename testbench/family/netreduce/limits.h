#pragma once
/// Bottlenecks of runs on hosts on Ethernet (docs/limit.md).

#include "platforms/netreduce/platform_params.h"
#include "testbench/run/limit_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// `params`: without automatic values.
LimitRules netreduce_limits(const RunSpec& spec, const NetReducePlatformParams& params);

}  // namespace tributary
