#pragma once
/// Bottlenecks of runs on hosts with a programmable switch (docs/bottleneck.md).

#include "platforms/tofino/platform_params.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// `params`: without automatic values.
BottleneckRules tofino_bottlenecks(const RunSpec& spec, const TofinoPlatformParams& params);

}  // namespace tributary
