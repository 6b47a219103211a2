#pragma once
/// From parameters to the graph of a data-parallel run.

#include <string>
#include <vector>

#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/models/model.h"
#include "testbench/workload/training/train_params.h"

namespace tributary::training {

struct TrainStep {
  std::string name;            ///< of the model, or of the graph's file
  std::uint64_t weights = 0;   ///< of the model
  std::uint64_t samples = 0;   ///< of a replica in an iteration, of all ranks where a graph is read; 0: not known
  int replicas = 1;            ///< that each have samples of their own
  const char* unit = "steps";  ///< of what rates count: samples, tokens, or steps
  TaskGraph graph;
  std::vector<std::string> warnings;  ///< one line each
  Stragglers stragglers;
};

/// Gives the layers of a model times, and lays out all iterations. `algorithm` is that of the collectives. Throws
/// InputError, one line.
TrainStep train_step(const Model& model, const TrainParams& params, int ranks, const std::string& algorithm,
                     std::uint64_t seed);
/// Finds the model that the parameters name (find_model()), too.
TrainStep train_step(const TrainParams& params, int ranks, const std::string& algorithm, std::uint64_t seed);

/// The same of a graph that is read (read_graph()). Throws InputError: as read_graph(), and what a graph leaves unused.
TrainStep graph_step(const std::string& path, const TrainParams& params, int ranks, std::uint64_t seed);

}  // namespace tributary::training
