#pragma once
/// Times for tasks of a graph that say what they compute.

#include "testbench/workload/training/compute/parameters.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Makes a time of all work. Operations and bytes: by the roofline, with a launch. A product of matrices: by cycles, its
/// rows spread over `arrays`, or with ComputeModel::roofline by its operations. All times are then multiplied by `scale`;
/// delays of marks are not. Throws InputError with the task: beyond 1000 s, or 2^62 cycles.
void give_times(TaskGraph& graph, const ComputeParams& params);

}  // namespace tributary::training
