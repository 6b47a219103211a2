#include "testbench/workload/training/train_step.h"

#include <algorithm>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/task_times.h"
#include "testbench/workload/training/memory_check.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/read/read_graph.h"
#include "testbench/workload/training/sharded_parallel.h"
#include "testbench/workload/training/step_spec.h"

namespace tributary::training {
namespace {

Stragglers stragglers_of(const StragglerParams& params, int ranks, std::uint64_t seed) {
  Stragglers s;
  s.jitter = params.jitter;
  s.seed = seed;
  for (const auto& [rank, factor] : params.factors.factors) {
    if (rank >= static_cast<std::uint32_t>(ranks))
      throw InputError("compute.factors: unknown rank " + std::to_string(rank) + " (legal: 0 to " +
                       std::to_string(ranks - 1) + ")");
    s.factor.resize(static_cast<std::size_t>(ranks), 1.0);
    s.factor[rank] = factor;
  }
  return s;
}

/// True if ranks, stages or layers of a step are distributed so that only model_parallel() builds its graph.
bool distributed(const TrainingParams& training) {
  const bool unit_passes = training.accumulate > 1 || training.recompute != Recompute::none;
  return training.parallel.any() || training.sequence_parallel || training.virtual_stages > 1 ||
         (training.sharding == Sharding::all && unit_passes);
}

/// Returns the same step for replicas of the whole model.
DataParallelSpec of_replicas(const ModelParallelSpec& from) {
  DataParallelSpec spec;
  spec.ranks = static_cast<int>(from.replicas);
  for (const PartLayer& layer : from.layers) spec.layers.push_back(layer.step);
  spec.plan = from.plan;
  spec.algorithm = from.algorithm;
  spec.type = from.type;
  spec.gradient_type = from.gradient_type;
  spec.priority = from.priority;
  spec.queues = from.queues;
  spec.issue = from.issue;
  spec.credit = from.credit;
  spec.weight_first = from.weight_first;
  spec.first_input_gradient = from.first_input_gradient;
  spec.accumulate = from.micro_batches;
  spec.iterations = from.iterations;
  if (from.update)
    spec.update = [update = from.update, parts = from.update_shards ? from.replicas : 1](std::uint64_t parameters) {
      return update((parameters + parts - 1) / parts);
    };
  spec.update_each = from.update_each;
  spec.sharding = from.sharding;
  spec.prefetch = from.prefetch;
  spec.recompute = from.recompute;
  return spec;
}

std::uint64_t state_of(const TrainParams& params) {
  return state_bytes_per_parameter(params.optimizer.kind, element_size(params.training.dtype));
}

/// Returns the source of the times of a trace. The default model, `systolic`, has none for the nodes of a trace.
TraceTimes trace_times(ComputeModel model) {
  if (model == ComputeModel::roofline) return TraceTimes::roofline;
  return model == ComputeModel::trace ? TraceTimes::trace : TraceTimes::automatic;
}

/// Returns the memory of the step by other parameters.
MemoryOf memory_of_step(const Model& model, int ranks) {
  return [&model, ranks](const TrainParams& params) -> std::optional<StepMemory> {
    try {
      const StepSpec spec = step_spec(model, with_passes(model, params, ranks), ranks, "");
      if (params.training.sharding == Sharding::all)
        check_units(of_replicas(spec.graph).layers, spec.graph.plan.mode, spec.graph.priority, spec.graph.queues);
      return step_memory(spec.graph, spec.kept, state_of(params));
    } catch (const InputError&) {
      return std::nullopt;
    }
  };
}

}  // namespace

std::string lack_of_memory(const Model& model, const TrainParams& given, int ranks) {
  const MemoryOf memory_of = memory_of_step(model, ranks);
  const std::optional<StepMemory> memory = memory_of(given);
  const std::string lack = memory ? lack_of_memory(*memory, given, memory_of) : "";
  return lack.empty() ? "" : "model " + model.name + ": " + lack;
}

MemoryPlan memory_plan(const Model& model, const TrainParams& given, int ranks) {
  const TrainParams params = with_passes(model, given, ranks);
  try {
    const StepSpec spec = step_spec(model, params, ranks, "");
    return {params, memory_of_places(spec.graph, spec.kept, state_of(params)), spec.graph.replicas};
  } catch (const InputError& error) {
    const std::string name = "model " + model.name + ": ";
    throw InputError((std::string(error.what()).rfind(name, 0) == 0 ? "" : name) + error.what());
  }
}

TrainStep train_step(const TrainParams& params, int ranks, const std::string& algorithm, std::uint64_t seed) {
  return train_step(find_model(params.training.model.text), params, ranks, algorithm, seed);
}

TrainStep train_step(const Model& model, const TrainParams& given, int ranks, const std::string& algorithm,
                     std::uint64_t seed, bool classes) {
  const TrainParams params = with_passes(model, given, ranks);
  const TrainingParams& training = params.training;
  TrainStep step;
  step.name = model.name;
  step.warnings = model.warnings;
  step.weights = model.weights();
  step.samples = training.batch * training.accumulate;
  step.unit = model.unit == BatchUnit::token ? "tokens" : "samples";
  step.stragglers = stragglers_of(params.stragglers, ranks, seed);
  const bool parallel = distributed(training);
  const std::string name = "model " + model.name + ": ";
  StepSpec spec;
  try {
    spec = step_spec(model, params, ranks, algorithm);
  } catch (const InputError& error) {
    const bool named = std::string(error.what()).rfind(name, 0) == 0;
    throw InputError((parallel && !named ? name : "") + error.what());
  }
  step.replicas = static_cast<int>(spec.graph.replicas / training.parallel.context);
  step.flop = spec.flop;
  spec.graph.classes = classes && !step.stragglers.any();
  step.warnings.insert(step.warnings.end(), spec.warnings.begin(), spec.warnings.end());
  try {
    step.memory = step_memory(spec.graph, spec.kept, state_of(params));
    check_memory(*step.memory, given, memory_of_step(model, ranks));
    step.graph = parallel ? model_parallel(spec.graph) : data_parallel(of_replicas(spec.graph));
  } catch (const InputError& error) {
    throw InputError(name + error.what());
  }
  step.graph.samples = step.samples * static_cast<std::uint64_t>(step.replicas);
  step.graph.tokens = model.unit == BatchUnit::token;
  return step;
}

TrainStep graph_step(const std::string& path, const TrainParams& params, int ranks, std::uint64_t seed) {
  const std::string unused = params.unused_by_graph();
  if (!unused.empty())
    throw InputError(unused +
                     " is ignored with --graph (legal: compute.*, ring.*, graph.*, training.dtype, "
                     "training.iterations)");
  ReadOptions options;
  options.ranks = ranks;
  options.type = params.training.dtype;
  options.iterations = static_cast<int>(params.iterations());
  options.time_unit = params.graph.time_unit.value_or(params.compute.clock).value;
  options.model_group = params.graph.model_group;
  options.times = trace_times(params.compute.model);
  options.control = params.graph.control;
  options.step = params.graph.step;
  options.compute_gap = params.graph.compute_gap.value;
  options.groups = params.graph.groups;
  TrainStep step;
  step.graph = read_graph(path, options);
  step.name = path;
  step.warnings = step.graph.warnings;
  step.samples = step.graph.samples;
  if (step.samples != 0) step.unit = step.graph.tokens ? "tokens" : "samples";
  if (step.graph.tasks.empty()) throw InputError(path + ": no tasks (legal: at least one)");
  if (step.graph.ranks != ranks)
    throw InputError(path + ": the graph has " + std::to_string(step.graph.ranks) + " ranks, but the run has " +
                     std::to_string(ranks) + " (legal: --gpus " + std::to_string(step.graph.ranks) + ", or --ranks)");
  try {
    give_times(step.graph, params.compute);
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
  step.stragglers = stragglers_of(params.stragglers, ranks, seed);
  return step;
}

}  // namespace tributary::training
