#pragma once
/// Memory of a GPU that a training step needs.

#include <array>
#include <cstdint>
#include <vector>

#include "testbench/workload/training/compute/roofline_times.h"
#include "testbench/workload/training/model_parallel.h"

namespace tributary::training {

/// Bytes of a rank.
struct StepMemory {
  std::uint64_t weights = 0, gradients = 0, optimizer = 0, activations = 0;

  std::uint64_t total() const { return weights + gradients + optimizer + activations; }
};

/// A part of the memory by name.
struct MemoryTerm {
  const char* name;
  std::uint64_t StepMemory::*bytes;
};
inline constexpr std::array<MemoryTerm, 4> memory_terms{{{"weights", &StepMemory::weights},
                                                         {"gradients", &StepMemory::gradients},
                                                         {"optimizer", &StepMemory::optimizer},
                                                         {"activations", &StepMemory::activations}}};
/// Returns the largest part, the first of equal ones.
const MemoryTerm& largest_term(const StepMemory& memory);

/// `kept`: by layer of the model. `state`: bytes of the optimizer per parameter.
/// Weights and gradients have the element types of the step. Activations are those of the passes that a rank has begun and
/// not ended, and with full recomputation those of one block in addition. With Sharding::all the weights of `prefetch` + 1
/// layers are whole; with several passes Sharding::gradients keeps whole gradients, which the last pass reduces.
/// Returns the bytes of a rank of each place of the pipeline.
std::vector<StepMemory> memory_of_places(const ModelParallelSpec& spec, const std::vector<KeptBytes>& kept,
                                         std::uint64_t state);
/// Returns the bytes of the rank that needs most.
StepMemory step_memory(const ModelParallelSpec& spec, const std::vector<KeptBytes>& kept, std::uint64_t state);

}  // namespace tributary::training
