#pragma once
/// Refusal of a step that needs more memory than a GPU has.

#include "testbench/workload/training/step_memory.h"
#include "testbench/workload/training/train_params.h"

namespace tributary::training {

/// Throws InputError if the step needs more than `compute.memory`. The error names the largest part and three changes that
/// make this part smaller.
void check_memory(const StepMemory& need, const TrainParams& params);

}  // namespace tributary::training
