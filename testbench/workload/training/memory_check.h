#pragma once
/// Refusal of a step that needs more memory than a GPU has.

#include <string>

#include "testbench/workload/training/memory_changes.h"

namespace tributary::training {

/// Returns one line on a step that needs more than `compute.memory`; empty if it fits. The line has the parts, and up to
/// three changes that make the step fit (changes_that_fit(), with `given` for the parameters before with_passes()). Where
/// there are none, or without `memory_of`, it has changes that make the largest part smaller.
std::string lack_of_memory(const StepMemory& need, const TrainParams& given, const MemoryOf& memory_of = {});

/// Throws InputError with that line if the step does not fit.
void check_memory(const StepMemory& need, const TrainParams& given, const MemoryOf& memory_of = {});

}  // namespace tributary::training
