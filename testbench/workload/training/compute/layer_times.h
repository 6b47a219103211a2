#pragma once
/// Times of a model's layers by the selected compute model.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/workload/training/compute/parameters.h"
#include "testbench/workload/training/compute/times.h"
#include "testbench/workload/training/models/model.h"

namespace tributary::training {

struct LayerTimes {
  std::vector<PassTimes> passes;      ///< one per layer of the model
  std::vector<std::string> warnings;  ///< one line each
};

/// Tokens of a rank, as far as they differ from the batch, and bytes of its weights.
struct LayerTokens {
  std::uint64_t whole = 0;         ///< on sides of a matrix that tensor parallel ranks do not divide; 0: the batch
  std::uint64_t sequence = 0;      ///< that attend to each other; 0: the batch
  std::uint64_t weight_bytes = 0;  ///< of a weight in a product; 0: those of an element
};

/// Returns the times for `batch` samples or tokens per accelerator; `element_bytes` is the size of weights and activations.
/// No warning concerns the input gradient of the first layer unless `first_input_gradient`.
/// Throws InputError on Kernels::all without `roofline`, if a layer without shape needs cycles, on missing times for
/// `table`, on `trace` without a trace, and on times beyond 1000 s.
LayerTimes layer_times(const Model& model, const ComputeParams& params, std::uint64_t batch, std::uint64_t element_bytes,
                       bool first_input_gradient = true, const LayerTokens& tokens = {});

}  // namespace tributary::training
