#pragma once
/// Bottlenecks of runs on hosts with a programmable switch (docs/limit.md).

#include "platforms/tofino/platform_params.h"
#include "testbench/run/limit_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// `params`: without automatic values.
LimitRules tofino_limits(const RunSpec& spec, const TofinoPlatformParams& params);

}  // namespace tributary
