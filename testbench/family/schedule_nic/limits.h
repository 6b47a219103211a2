#pragma once
/// Bottlenecks of runs on networks of NICs (docs/limit.md).

#include "platforms/schedule_nic/network_params.h"
#include "testbench/run/limit_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// `params`: without automatic values.
LimitRules schedule_nic_limits(const RunSpec& spec, const NetworkParams& params);

}  // namespace tributary
