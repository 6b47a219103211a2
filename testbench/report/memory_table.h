#pragma once
/// The memory of the ranks of a training step as a table.

#include <string>

#include "testbench/workload/training/train_step.h"

namespace tributary {

/// Returns a row for a rank of each place of the pipeline, in GB of 10^9 B, and lines that name the largest part and the
/// memory of a GPU.
std::string memory_table(const training::Model& model, const training::MemoryPlan& plan);

}  // namespace tributary
