#pragma once
/// What bounds runs on servers of GPUs with copy engines (docs/limit.md).

#include "platforms/blink/blink_platform.h"
#include "testbench/run/limit_rules.h"

namespace tributary {

/// The platform must outlive them. `channels`: its jobs are NCCL's.
LimitRules blink_limits(const BlinkPlatform& platform, bool channels);

}  // namespace tributary
