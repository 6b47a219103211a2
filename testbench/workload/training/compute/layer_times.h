#pragma once
/// Times of a model's layers by the compute model that parameters choose.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/workload/training/compute/parameters.h"
#include "testbench/workload/training/compute/times.h"
#include "testbench/workload/training/models/model.h"

namespace tributary::training {

struct LayerTimes {
  std::vector<PassTimes> passes;      ///< one for each layer of the model
  std::vector<std::string> warnings;  ///< one line each
};

/// `batch` samples or tokens of one accelerator; `element_bytes`: of weights and activations.
/// Throws InputError: no shape where cycles are wanted, no time for `table`, `trace` without a trace, beyond 1000 s.
LayerTimes layer_times(const Model& model, const ComputeParams& params, std::uint64_t batch, std::uint64_t element_bytes);

}  // namespace tributary::training
