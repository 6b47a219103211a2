#pragma once

#include "testbench/workload/training/data_parallel.h"

namespace tributary::training {

/// Data parallel with all parameters sharded (ZeRO-3; FSDP): a unit for each layer with weights, whose parameters are
/// gathered before its forward and again before its backward, `prefetch` units ahead, and whose gradients are scattered
/// after it. 3 M (n-1)/n bytes on the wire, where an all-reduce takes 2 M (n-1)/n.
TaskGraph fully_sharded(const DataParallelSpec& spec);

}  // namespace tributary::training
