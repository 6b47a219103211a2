#pragma once
/// Graph of a fully sharded data-parallel step.

#include "testbench/workload/training/data_parallel.h"

namespace tributary::training {

/// Builds a data-parallel graph with all parameters sharded (ZeRO-3; FSDP). Each layer with weights is a unit, whose
/// parameters are gathered before its forward and again before its backward, `prefetch` units ahead, and whose gradients
/// are reduce-scattered after its backward. This sends 3 M (n-1)/n bytes; an all-reduce sends 2 M (n-1)/n.
TaskGraph fully_sharded(const DataParallelSpec& spec);

/// Throws InputError on orders of messages that move no single layers, and on layers that share weights.
void check_units(const std::vector<StepLayer>& layers, Mode mode, bool priority, unsigned queues);

}  // namespace tributary::training
