#pragma once
/// Changes of a step by which it fits into the memory of a GPU.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbench/workload/training/step_memory.h"
#include "testbench/workload/training/train_params.h"

namespace tributary::training {

/// Returns the memory of the rank that needs most, by other parameters; nothing if these are illegal.
using MemoryOf = std::function<std::optional<StepMemory>(const TrainParams&)>;

/// Returns up to `most` changes, as options and settings, each of which makes the step fit into compute.memory: first single
/// changes, then pairs of changes that do not fit alone. Returns nothing if no pair fits either.
std::vector<std::string> changes_that_fit(const TrainParams& params, const MemoryOf& memory_of, std::size_t most);

}  // namespace tributary::training
