#pragma once
/// From parameters to the graph of a data-parallel run.

#include <string>
#include <vector>

#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/models/model.h"
#include "testbench/workload/training/train_params.h"

namespace tributary::training {

struct TrainStep {
  Model model;
  TaskGraph graph;
  std::vector<std::string> warnings;  ///< one line each
  Stragglers stragglers;
};

/// Finds the model, gives its layers times, and lays out all iterations. `algorithm`: of the collectives.
/// Throws InputError, one line.
TrainStep train_step(const TrainParams& params, int ranks, const std::string& algorithm, std::uint64_t seed);

}  // namespace tributary::training
