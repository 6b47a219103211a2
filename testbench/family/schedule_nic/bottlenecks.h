#pragma once
/// Bottlenecks of runs on networks of NICs (docs/bottleneck.md).

#include "platforms/schedule_nic/network_params.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// `params`: without automatic values.
BottleneckRules schedule_nic_bottlenecks(const RunSpec& spec, const NetworkParams& params);

}  // namespace tributary
