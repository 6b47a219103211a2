#include "testbench/workload/training/step_spec.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/counts.h"
#include "testbench/workload/training/compute/layer_times.h"
#include "testbench/workload/training/compute/model_flop.h"
#include "testbench/workload/training/models/model_part.h"

namespace tributary::training {
namespace {

constexpr std::uint64_t most_passes = 1000;

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
    step.attention = Work::of_time(times[l].attention, times[l].memory_bound);
    step.attention_gradient = Work::of_time(times[l].attention_gradient, times[l].memory_bound);
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
                                             const std::vector<PassTimes>& times) {
  if (params.optimizer.kind != OptimizerKind::none) {
    OptimizerParams optimizer = params.optimizer;
    optimizer.sharded = false;  // the builder of the graph divides the parameters
    const RooflineParams gpu = params.compute.roofline;
    return [=](std::uint64_t parameters) { return optimizer_time(optimizer, parameters, 1, gpu); };
  }
  const double total = static_cast<double>(
      std::accumulate(times.begin(), times.end(), Tick{0}, [](Tick sum, const PassTimes& t) { return sum + t.update; }));
  if (total == 0) return nullptr;
  const double per_weight = total / static_cast<double>(std::max<std::uint64_t>(1, model.weights()));
  return [=](std::uint64_t parameters) {
    return static_cast<Tick>(std::llround(static_cast<double>(parameters) * per_weight));
  };
}

PlanOptions plan_of(const TrainParams& params) {
  PlanOptions plan;
  plan.mode = params.comm.mode;
  plan.element_bytes = static_cast<unsigned>(element_size(params.gradient_type()));
  plan.first_bucket = params.comm.first_bucket.value;
  plan.bucket = params.comm.bucket.value;
  plan.fusion = params.comm.fusion.value;
  plan.cycle = params.comm.cycle.value;
  plan.partition = params.comm.partition.value;
  return plan;
}

/// Returns the number of ranks with equal weights: replicas, times the ranks that divide a sequence. Throws InputError.
int replicas_of(const TrainParams& params, int ranks) {
  const ParallelDegrees& degrees = params.training.parallel;
  const auto of = [&](int count, const char* what, unsigned degree) {
    if (count % static_cast<int>(degree) != 0)
      throw InputError("training.parallel=" + ParameterText<ParallelDegrees>::print(degrees) + ": " + std::to_string(count) +
                       what + " (legal: a multiple of " + std::to_string(degree) + ")");
    return count / static_cast<int>(degree);
  };
  const int replicas = of(ranks, " ranks", degrees.model_ranks());
  of(replicas, " ranks with equal weights", degrees.context);
  of(replicas, " replicas", degrees.expert);
  return replicas;
}

/// Returns the tokens that attend to each other.
std::uint64_t sequence_of(const Model& model, const TrainingParams& training) {
  if (training.sequence) return *training.sequence;
  return model.sequence == 0 ? training.batch : std::min(model.sequence, training.batch);
}

/// Returns the parameters with the tokens of a rank in place of those of a replica.
TrainParams of_rank(const Model& model, const TrainParams& params) {
  TrainParams rank = params;
  const unsigned context = params.training.parallel.context;
  if (context == 1) return rank;
  if (model.unit != BatchUnit::token)
    throw InputError("context=" + std::to_string(context) +
                     " divides tokens, but the model counts samples (legal: a model with unit: token)");
  rank.training.sequence = sequence_of(model, params.training);
  rank.training.batch = ceil_div(params.training.batch, context);
  return rank;
}

/// Returns the samples or tokens of a rank on sides of a matrix that are not divided.
std::uint64_t whole_samples(const TrainingParams& training) {
  const std::uint64_t tensor = training.sequence_parallel ? training.parallel.tensor : 1;
  return (training.batch + tensor - 1) / tensor;
}

/// Returns the times of a rank's slice: computed for the split matrices, or measured times divided equally. With sequence
/// parallel ranks each has its tokens of the other layers.
LayerTimes part_times(const Model& model, const Model& part, const TrainParams& params) {
  const TrainingParams& training = params.training;
  const bool table = params.compute.model == ComputeModel::table;
  LayerTimes times = layer_times(table ? model : part, params.compute, training.batch, element_size(training.dtype),
                                 params.first_input_gradient(),
                                 {whole_samples(training), sequence_of(model, training), training.dtype.product_bytes()});
  for (std::size_t l = 0; table && l < model.layers.size(); ++l) {
    const bool divided = model.layers[l].split != Split::none || training.sequence_parallel;
    const std::uint64_t parts = std::uint64_t{divided ? training.parallel.tensor : 1} * training.parallel.context;
    PassTimes& t = times.passes[l];
    for (Tick PassTimes::*pass :
         {&PassTimes::forward, &PassTimes::input_gradient, &PassTimes::weight_gradient, &PassTimes::update})
      t.*pass /= parts;
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

/// Returns the elements of keys and values of a rank's tokens; 0 without attention.
std::uint64_t keys_of(const ModelLayer& part, std::uint64_t tokens) {
  return part.attention ? times(2 * part.attention->key_heads * part.attention->width, tokens) : 0;
}

/// Returns the bytes that each layer of a rank's slice keeps. Adjacent layers split by outputs have the same inputs.
std::vector<KeptBytes> kept_of(const Model& part, const TrainParams& params) {
  const TrainingParams& training = params.training;
  const std::uint64_t whole = whole_samples(training), sequence = sequence_of(part, training);
  std::vector<KeptBytes> kept;
  for (std::size_t l = 0; l < part.layers.size(); ++l) {
    const ModelLayer& layer = part.layers[l];
    const bool shared = l > 0 && layer.split == Split::outputs && part.layers[l - 1].split == Split::outputs;
    const PassSize size{layer.split == Split::none ? whole : training.batch, whole, sequence, element_size(training.dtype)};
    kept.push_back(kept_bytes(layer, shared, params.compute.attention, size));
  }
  return kept;
}

/// Returns a warning on tensor parallel ranks that outnumber the heads with keys and values; empty if none does.
std::string warning_of_heads(const Model& model, unsigned tensor) {
  for (const ModelLayer& layer : model.layers)
    if (layer.split != Split::none && layer.attention && layer.attention->key_heads < tensor)
      return "model " + model.name + ": tensor=" + std::to_string(tensor) + " exceeds its " +
             std::to_string(layer.attention->key_heads) +
             " key_heads: each rank has a part of the weights of a key head, and the gather of its keys and values among " +
             std::to_string(tensor / layer.attention->key_heads) + " ranks is not counted";
  return "";
}

/// Returns a warning on selective recomputation without attention, or without its time.
std::vector<std::string> warnings_of(const Model& model, const TrainParams& params) {
  if (params.training.recompute != Recompute::selective) return {};
  const bool any = std::any_of(model.layers.begin(), model.layers.end(), [](const ModelLayer& l) { return l.attention; });
  if (!any) return {"model " + model.name + ": training.recompute=selective repeats attention, which no layer has"};
  if (params.compute.kernels == Kernels::all) return {};
  return {"training.recompute=selective repeats attention, whose time only compute.kernels=all counts"};
}

/// Returns the tokens of a sequence, of which an iteration has many.
std::uint64_t tokens_of_sequence(const Model& model, const TrainingParams& training) {
  const std::string with = "training.sequences=" + std::to_string(*training.sequences);
  if (model.unit != BatchUnit::token)
    throw InputError(with + ", but the model counts samples (legal: training.batch, or a model with unit: token)");
  const std::uint64_t tokens = training.sequence.value_or(model.sequence);
  if (tokens == 0) throw InputError(with + " of unknown length (legal: training.sequence, or a model with 'sequence')");
  const TrainingParams usual;
  if (training.batch != usual.batch || training.accumulate != usual.accumulate)
    throw InputError(with + " and training." + (training.batch != usual.batch ? "batch" : "accumulate") +
                     " exclude each other (legal: one of them)");
  return tokens;
}

}  // namespace

TrainParams with_passes(const Model& model, const TrainParams& params, int ranks) {
  TrainParams all = params;
  TrainingParams& training = all.training;
  if (!training.sequences) {
    if (training.micro != 1)
      throw InputError("training.micro without training.sequences (legal: with it, or training.batch)");
    return all;
  }
  const std::uint64_t tokens = tokens_of_sequence(model, training), sequences = *training.sequences;
  const auto replicas = static_cast<std::uint64_t>(replicas_of(params, ranks)) / training.parallel.context;
  const std::uint64_t at_once = times(replicas, training.micro), passes = sequences / at_once;
  if (sequences % at_once != 0 || passes > most_passes)
    throw InputError("training.sequences=" + std::to_string(sequences) + " on " + std::to_string(replicas) +
                     (replicas == 1 ? " replica" : " replicas") + ", " + std::to_string(training.micro) +
                     " in a pass (legal: a multiple of " + std::to_string(at_once) + ", up to " +
                     std::to_string(most_passes) + " passes)");
  training.batch = times(tokens, training.micro);
  training.accumulate = static_cast<std::uint32_t>(passes);
  training.sequence = tokens;
  return all;
}

StepSpec step_spec(const Model& model, const TrainParams& given, int ranks, const std::string& algorithm) {
  const TrainParams params = of_rank(model, given);
  const TrainingParams& training = params.training;
  if (training.sequence_parallel && model.unit != BatchUnit::token)
    throw InputError(
        "training.sequence_parallel divides tokens, but the model counts samples (legal: a model with unit: token)");
  const Model part = part_of(model, training.parallel);
  const LayerTimes times = part_times(model, part, params);
  ModelParallelSpec spec;
  spec.degrees = training.parallel;
  spec.replicas = static_cast<unsigned>(replicas_of(params, ranks));
  const std::vector<StepLayer> layers = step_layers(part, times.passes);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const ModelLayer& whole = model.layers[l];
    spec.layers.push_back({layers[l], whole.split, whole.chosen, input_elements(whole) * training.batch,
                           output_elements(whole) * training.batch, whole_weights(whole, part.layers[l]),
                           keys_of(part.layers[l], training.batch)});
  }
  spec.plan = plan_of(params);
  spec.algorithm = algorithm;
  spec.type = training.dtype;
  spec.gradient_type = params.gradient_type();
  spec.issue = params.comm.issue;
  spec.capacity = training.capacity;
  spec.micro_batches = training.accumulate;
  spec.iterations = static_cast<int>(params.iterations());
  spec.weight_first = training.backward_order == BackwardOrder::wg_ig;
  spec.first_input_gradient = params.first_input_gradient();
  spec.update = update_of(params, part, times.passes);
  spec.update_each = params.optimizer.when == OptimizerWhen::each;
  spec.update_shards =
      params.optimizer.kind != OptimizerKind::none && (params.optimizer.sharded || training.sharding != Sharding::none);
  spec.priority = params.comm.order == MessageOrder::priority;
  spec.queues = params.comm.queues;
  spec.credit = params.comm.credit.value;
  spec.sequence = training.sequence_parallel;
  spec.virtual_stages = training.virtual_stages;
  spec.stage_rule = training.stages;
  spec.recompute = training.recompute;
  spec.sharding = training.sharding;
  spec.prefetch = training.prefetch;
  spec.overlap = params.comm.tensor_overlap;
  const double passes = static_cast<double>(training.accumulate) * (spec.replicas / spec.degrees.context);
  const double flop =
      model_flop(model, passes * static_cast<double>(given.training.batch), sequence_of(model, given.training));
  StepSpec step{std::move(spec), kept_of(part, params), times.warnings, flop};
  if (const std::string heads = warning_of_heads(model, training.parallel.tensor); !heads.empty())
    step.warnings.push_back(heads);
  for (std::string& warning : warnings_of(model, params)) step.warnings.push_back(std::move(warning));
  return step;
}

}  // namespace tributary::training
