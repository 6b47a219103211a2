#pragma once
/// Times for tasks of a graph whose work is given as operations or products.

#include "testbench/workload/training/compute/parameters.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

/// Converts all work to times. Operations and bytes: by the roofline, plus a launch. A matrix product: by cycles, with its
/// rows spread over `arrays`, or by its operations with ComputeModel::roofline. All times are then multiplied by `scale`,
/// except delays of marks. Throws InputError with the task beyond 1000 s or 2^62 cycles.
void give_times(TaskGraph& graph, const ComputeParams& params);

}  // namespace tributary::training
