#include "testbench/workload/training/train_step.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/layer_times.h"
#include "testbench/workload/training/compute/task_times.h"
#include "testbench/workload/training/model_parallel.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/models/model_part.h"
#include "testbench/workload/training/read/read_graph.h"

namespace tributary::training {
namespace {

std::vector<StepLayer> step_layers(const Model& model, const std::vector<PassTimes>& times) {
  std::vector<StepLayer> layers;
  int blocks = 0;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const ModelLayer& layer = model.layers[l];
    StepLayer& step = layers.emplace_back();
    step.name = layer.name;
    step.tensors = layer.tensors;
    step.forward = Work::of_time(times[l].forward, times[l].memory_bound);
    step.input_gradient = Work::of_time(times[l].input_gradient, times[l].memory_bound);
    step.weight_gradient = Work::of_time(times[l].weight_gradient, times[l].memory_bound);
    const std::string block = block_name(layer.name);
    if (block.empty() || l == 0 || block != block_name(model.layers[l - 1].name)) ++blocks;
    step.block = blocks;
    if (layer.shares.empty()) continue;
    const auto owner = std::find_if(model.layers.begin(), model.layers.end(),
                                    [&](const ModelLayer& other) { return other.name == layer.shares; });
    step.shares = static_cast<int>(owner - model.layers.begin());  // past the end: message_plan() rejects it
  }
  return layers;
}

/// Returns the update times of a table in proportion to the weights, or those of the optimizer.
std::function<Tick(std::uint64_t)> update_of(const TrainParams& params, const Model& model,
                                             const std::vector<PassTimes>& times, int ranks) {
  if (params.optimizer.kind != OptimizerKind::none) {
    OptimizerParams optimizer = params.optimizer;
    optimizer.sharded = optimizer.sharded || params.training.sharding != Sharding::none;
    const RooflineParams gpu = params.compute.roofline;
    return [=](std::uint64_t parameters) {
      return optimizer_time(optimizer, parameters, static_cast<std::uint64_t>(ranks), gpu);
    };
  }
  const double total = static_cast<double>(
      std::accumulate(times.begin(), times.end(), Tick{0}, [](Tick sum, const PassTimes& t) { return sum + t.update; }));
  if (total == 0) return nullptr;
  const double per_weight = total / static_cast<double>(std::max<std::uint64_t>(1, model.weights()));
  return [=](std::uint64_t parameters) {
    return static_cast<Tick>(std::llround(static_cast<double>(parameters) * per_weight));
  };
}

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

PlanOptions plan_of(const TrainParams& params) {
  PlanOptions plan;
  plan.mode = params.comm.mode;
  plan.element_bytes = static_cast<unsigned>(element_size(params.training.dtype));
  plan.first_bucket = params.comm.first_bucket.value;
  plan.bucket = params.comm.bucket.value;
  plan.fusion = params.comm.fusion.value;
  plan.cycle = params.comm.cycle.value;
  plan.partition = params.comm.partition.value;
  return plan;
}

/// Returns the number of replicas held by `ranks` ranks. Throws InputError.
int replicas_of(const TrainParams& params, int ranks) {
  const ParallelDegrees& degrees = params.training.parallel;
  const auto of = [&](int count, const char* what, unsigned degree) {
    if (count % static_cast<int>(degree) != 0)
      throw InputError("training.parallel=" + ParameterText<ParallelDegrees>::print(degrees) + ": " + std::to_string(count) +
                       what + " (legal: a multiple of " + std::to_string(degree) + ")");
    return count / static_cast<int>(degree);
  };
  const int replicas = of(ranks, " ranks", degrees.model_ranks());
  of(replicas, " replicas", degrees.expert);
  return replicas;
}

/// Returns the times of a rank's slice: computed for the split matrices, or measured times divided equally. With sequence
/// parallel ranks each has its tokens of the other layers.
LayerTimes part_times(const Model& model, const Model& part, const TrainParams& params, std::uint64_t element) {
  const bool table = params.compute.model == ComputeModel::table, tokens = params.training.sequence_parallel;
  const std::uint64_t tensor = params.training.parallel.tensor, batch = params.training.batch;
  const auto times_of = [&](std::uint64_t samples) {
    return layer_times(table ? model : part, params.compute, samples, element, params.first_input_gradient());
  };
  LayerTimes times = times_of(batch);
  const LayerTimes of_tokens = tokens && !table ? times_of((batch + tensor - 1) / tensor) : LayerTimes{};
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const bool split = model.layers[l].split != Split::none;
    PassTimes& t = times.passes[l];
    if (!split && tokens && !table) t = of_tokens.passes[l];
    if (!table || (!split && !tokens)) continue;
    for (Tick PassTimes::*pass :
         {&PassTimes::forward, &PassTimes::input_gradient, &PassTimes::weight_gradient, &PassTimes::update})
      t.*pass /= tensor;
  }
  return times;
}

/// Returns the weights of a layer that every tensor parallel rank holds.
std::uint64_t whole_weights(const ModelLayer& whole, const ModelLayer& part) {
  std::uint64_t sum = 0;
  for (std::size_t t = 0; t < part.tensors.size(); ++t)
    if (part.tensors[t] == whole.tensors[t]) sum += part.tensors[t];
  return sum;
}

void spread_step(TrainStep& step, const Model& model, const TrainParams& params, int ranks, const std::string& algorithm) {
  const TrainingParams& training = params.training;
  if (training.sequence_parallel && model.unit != BatchUnit::token)
    throw InputError(
        "training.sequence_parallel divides tokens, but the model counts samples (legal: a model with unit: token)");
  step.replicas = replicas_of(params, ranks);
  const Model part = part_of(model, training.parallel);
  const LayerTimes times = part_times(model, part, params, element_size(training.dtype));
  step.warnings.insert(step.warnings.end(), times.warnings.begin(), times.warnings.end());
  ModelParallelSpec spec;
  spec.degrees = training.parallel;
  spec.replicas = static_cast<unsigned>(step.replicas);
  const std::vector<StepLayer> layers = step_layers(part, times.passes);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const ModelLayer& whole = model.layers[l];
    spec.layers.push_back({layers[l], whole.split, whole.chosen, input_elements(whole) * training.batch,
                           output_elements(whole) * training.batch, whole_weights(whole, part.layers[l])});
  }
  spec.plan = plan_of(params);
  spec.algorithm = algorithm;
  spec.type = training.dtype;
  spec.issue = params.comm.issue;
  spec.capacity = training.capacity;
  spec.micro_batches = training.accumulate;
  spec.iterations = static_cast<int>(params.iterations());
  spec.weight_first = training.backward_order == BackwardOrder::wg_ig;
  spec.first_input_gradient = params.first_input_gradient();
  spec.update = update_of(params, part, times.passes, 1);
  spec.update_each = params.optimizer.when == OptimizerWhen::each;
  spec.update_shards =
      params.optimizer.kind != OptimizerKind::none && (params.optimizer.sharded || training.sharding != Sharding::none);
  spec.priority = params.comm.order == MessageOrder::priority;
  spec.queues = params.comm.queues;
  spec.credit = params.comm.credit.value;
  spec.sequence = training.sequence_parallel;
  spec.virtual_stages = training.virtual_stages;
  spec.recompute = training.recompute;
  spec.sharding = training.sharding;
  spec.prefetch = training.prefetch;
  step.graph = model_parallel(spec);
}

/// Returns the source of the times of a trace. The default model, `systolic`, has none for the nodes of a trace.
TraceTimes trace_times(ComputeModel model) {
  if (model == ComputeModel::roofline) return TraceTimes::roofline;
  return model == ComputeModel::trace ? TraceTimes::trace : TraceTimes::automatic;
}

}  // namespace

TrainStep train_step(const TrainParams& params, int ranks, const std::string& algorithm, std::uint64_t seed) {
  return train_step(find_model(params.training.model.text), params, ranks, algorithm, seed);
}

TrainStep train_step(const Model& model, const TrainParams& params, int ranks, const std::string& algorithm,
                     std::uint64_t seed) {
  const TrainingParams& training = params.training;
  TrainStep step;
  step.name = model.name;
  step.warnings = model.warnings;
  step.weights = model.weights();
  step.samples = training.batch * training.accumulate;
  step.unit = model.unit == BatchUnit::token ? "tokens" : "samples";
  step.replicas = ranks;
  step.stragglers = stragglers_of(params.stragglers, ranks, seed);
  const auto count = [&] {
    step.graph.samples = step.samples * static_cast<std::uint64_t>(step.replicas);
    step.graph.tokens = model.unit == BatchUnit::token;
  };
  const bool unit_passes = training.accumulate > 1 || training.recompute != Recompute::none;
  if (training.parallel.any() || training.sequence_parallel || training.virtual_stages > 1 ||
      (training.sharding == Sharding::all && unit_passes)) {
    try {
      spread_step(step, model, params, ranks, algorithm);
    } catch (const InputError& error) {
      throw InputError("model " + model.name + ": " + error.what());
    }
    count();
    return step;
  }
  const std::uint64_t element = element_size(training.dtype);
  const LayerTimes times = layer_times(model, params.compute, training.batch, element, params.first_input_gradient());
  step.warnings.insert(step.warnings.end(), times.warnings.begin(), times.warnings.end());
  DataParallelSpec spec;
  spec.ranks = ranks;
  spec.layers = step_layers(model, times.passes);
  spec.plan = plan_of(params);
  spec.algorithm = algorithm;
  spec.type = training.dtype;
  spec.priority = params.comm.order == MessageOrder::priority;
  spec.queues = params.comm.queues;
  spec.issue = params.comm.issue;
  spec.credit = params.comm.credit.value;
  spec.weight_first = training.backward_order == BackwardOrder::wg_ig;
  spec.first_input_gradient = params.first_input_gradient();
  spec.accumulate = training.accumulate;
  spec.iterations = static_cast<int>(params.iterations());
  spec.update = update_of(params, model, times.passes, ranks);
  spec.update_each = params.optimizer.when == OptimizerWhen::each;
  spec.sharding = training.sharding;
  spec.prefetch = training.prefetch;
  spec.recompute = training.recompute;
  try {
    step.graph = data_parallel(spec);
  } catch (const InputError& error) {
    throw InputError("model " + model.name + ": " + error.what());
  }
  count();
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
  options.time_unit = params.compute.clock.value;
  options.model_group = params.graph.model_group;
  options.times = trace_times(params.compute.model);
  options.control = params.graph.control;
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
