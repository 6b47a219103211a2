#pragma once
/// Computes the layers of a rank: their work, their tensors and what they keep.

#include <string>
#include <vector>

#include "testbench/workload/training/compute/roofline_times.h"
#include "testbench/workload/training/model_parallel.h"
#include "testbench/workload/training/models/model.h"
#include "testbench/workload/training/train_params.h"

namespace tributary::training {

struct StepSpec {
  ModelParallelSpec graph;
  std::vector<KeptBytes> kept;        ///< by layer
  std::vector<std::string> warnings;  ///< one line each
  double flop = 0;                    ///< operations of an iteration of all replicas, as model_flop() counts them
};

/// Returns the parameters with `batch` and `accumulate` of a replica if they count the sequences of all replicas. Throws
/// InputError if a model has no sequences, and if the passes of all replicas do not divide them.
TrainParams with_passes(const Model& model, const TrainParams& params, int ranks);

/// Throws InputError on a number of ranks that the degrees do not divide, and as part_of() and layer_times() do.
StepSpec step_spec(const Model& model, const TrainParams& params, int ranks, const std::string& algorithm);

}  // namespace tributary::training
