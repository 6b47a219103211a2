#pragma once
/// Bottlenecks of runs on several servers by packets (docs/bottleneck.md).

#include "testbench/run/bottleneck_rules.h"

namespace tributary {

/// Returns the rules of links, windows and accelerators: the busiest link of each kind is a candidate.
BottleneckRules cluster_bottlenecks();

}  // namespace tributary
