#pragma once
/// Memory of a GPU that a training step needs.

#include <cstdint>
#include <vector>

#include "testbench/workload/training/compute/roofline_times.h"
#include "testbench/workload/training/model_parallel.h"

namespace tributary::training {

/// Bytes of the rank that needs most.
struct StepMemory {
  std::uint64_t weights = 0, gradients = 0, optimizer = 0, activations = 0;

  std::uint64_t total() const { return weights + gradients + optimizer + activations; }
};

/// `kept`: by layer of the model. `state`: bytes of the optimizer per parameter.
/// Weights and gradients have the element types of the step. Activations are those of the passes that a rank has begun and
/// not ended, and with full recomputation those of one block in addition. With Sharding::all the weights of `prefetch` + 1
/// layers are whole; with several passes Sharding::gradients keeps whole gradients, which the last pass reduces.
StepMemory step_memory(const ModelParallelSpec& spec, const std::vector<KeptBytes>& kept, std::uint64_t state);

}  // namespace tributary::training
