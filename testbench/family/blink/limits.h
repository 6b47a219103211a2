#pragma once
/// What bounds runs on servers of GPUs with copy engines (docs/limit.md).

#include "platforms/blink/blink_platform.h"
#include "testbench/run/limit_rules.h"
#include "testbench/workload/job.h"

namespace tributary {

/// The platform must outlive them. `job`: the first of the run.
LimitRules blink_limits(const BlinkPlatform& platform, const JobSpec& job);

}  // namespace tributary
