#pragma once
/// Builds the graph of a run from parameters or from a file.

#include <optional>
#include <string>
#include <vector>

#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/models/model.h"
#include "testbench/workload/training/step_memory.h"
#include "testbench/workload/training/train_params.h"

namespace tributary::training {

struct TrainStep {
  std::string name;            ///< name of the model, or of the graph's file
  std::uint64_t weights = 0;   ///< weights of the model
  std::uint64_t samples = 0;   ///< samples per iteration: of a replica, or of all ranks if a graph is read; 0: unknown
  int replicas = 1;            ///< replicas, each with its own samples
  const char* unit = "steps";  ///< unit of rates: samples, tokens, or steps
  TaskGraph graph;
  std::vector<std::string> warnings;  ///< one line each
  Stragglers stragglers;
  std::optional<StepMemory> memory = {};  ///< need of a GPU; none for a graph
  double flop = 0;                        ///< operations of an iteration of all ranks (model_flop()); 0 for a graph
};

/// Computes the times of a model's layers and the memory of a GPU, and builds the graph of all iterations. `algorithm` is
/// that of the collectives. `classes`: where all ranks of a stage are alike, the graph has one of them
/// (TaskGraph::representatives). Throws InputError (one line).
TrainStep train_step(const Model& model, const TrainParams& params, int ranks, const std::string& algorithm,
                     std::uint64_t seed, bool classes = false);
/// Finds the model that the parameters name (find_model()), and builds its graph.
TrainStep train_step(const TrainParams& params, int ranks, const std::string& algorithm, std::uint64_t seed);

/// Memory of a step.
struct MemoryPlan {
  TrainParams params;              ///< with the passes of a replica
  std::vector<StepMemory> places;  ///< of a rank of each place of the pipeline
  unsigned shards = 1;             ///< ranks with equal weights
};

/// Returns the memory of a step without its graph, also beyond `compute.memory`. Throws InputError as train_step() does.
MemoryPlan memory_plan(const Model& model, const TrainParams& params, int ranks);

/// Returns one line that names the model if its step needs more than `compute.memory`; empty if it fits (memory_check.h).
std::string lack_of_memory(const Model& model, const TrainParams& params, int ranks);

/// Reads the graph of a file (read_graph()). Throws InputError as read_graph() does, and on parameters that a graph
/// ignores.
TrainStep graph_step(const std::string& path, const TrainParams& params, int ranks, std::uint64_t seed);

}  // namespace tributary::training
