#include "testbench/workload/training/model_parallel.h"

#include <algorithm>
#include <utility>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/parameter_gathers.h"
#include "testbench/workload/training/pipeline_order.h"
#include "testbench/workload/training/sharded_parallel.h"
#include "testbench/workload/training/stage_end.h"

namespace tributary::training {
namespace {

/// Returns the work without a part of it.
Work rest(Work work, const Work& part) {
  work.time -= std::min(work.time, part.time);
  return work;
}

class ModelParallelBuilder {
 public:
  explicit ModelParallelBuilder(const ModelParallelSpec& spec)
      : spec_(spec),
        graph_(spec),
        end_(graph_),
        last_(graph_.places()),
        begin_(graph_.places()),
        scattered_(graph_.places()),
        ready_(spec.layers.size()) {}

  TaskGraph build() {
    for (graph_.iteration = 0; graph_.iteration < spec_.iterations; ++graph_.iteration) {
      for (unsigned place = 0; place < graph_.places(); ++place) passes(place);
      end_.sum_tied(ready_);
      for (unsigned place = 0; place < graph_.places(); ++place) {
        append(last_[place], scattered_[place]);
        scattered_[place].clear();
        last_[place] = begin_[place] = end_.end(place, ready_, last_[place]);
      }
    }
    return std::move(graph_.graph);
  }

 private:
  const PartLayer& layer(std::size_t l) const { return graph_.layer(l); }

  void passes(unsigned place) {
    const PipelineShape shape{graph_.places(), spec_.virtual_stages, spec_.micro_batches};
    for (const StagePass& pass : pipeline_order(shape, place)) {
      graph_.micro_batch = static_cast<int>(pass.micro_batch);
      const unsigned stage = pass.turn * graph_.places() + place;
      pass.forward ? forward(stage) : backward(stage);
    }
  }

  bool begins_experts(unsigned s, std::size_t l) const {
    return graph_.spread(l) && (l == graph_.first[s] || !graph_.spread(l - 1));
  }
  bool ends_experts(unsigned s, std::size_t l) const {
    return graph_.spread(l) && (l + 1 == graph_.first[s + 1] || !graph_.spread(l + 1));
  }
  /// True for the first, or the last, of a run of layers that are split by outputs, which have the same inputs.
  bool begins_outputs(unsigned s, std::size_t l) const {
    return layer(l).split == Split::outputs && (l == graph_.first[s] || layer(l - 1).split != Split::outputs);
  }
  bool ends_outputs(unsigned s, std::size_t l) const {
    return layer(l).split == Split::outputs && (l + 1 == graph_.first[s + 1] || layer(l + 1).split != Split::outputs);
  }
  bool overlaps() const { return spec_.overlap == TensorOverlap::gemm; }
  /// True if attention of a layer is a task of its own, since transfers run during it, or during the product alone.
  bool attention_apart(std::size_t l) const { return layer(l).keys > 0 && (overlaps() || graph_.context() > 1); }
  /// Returns the first layer of the block of layer l, within its stage.
  std::size_t block_begin(unsigned s, std::size_t l) const {
    while (l > graph_.first[s] && same_block(layer(l - 1).step, layer(l).step)) --l;
    return l;
  }

  /// Adds forward of a layer with its collectives. Returns the tasks that the next layer waits for.
  TaskIds forward_layer(unsigned s, std::size_t l, const std::string& again, TaskIds after, ParameterGathers& gathers) {
    if (begins_experts(s, l)) after = graph_.exchange(again + "dispatch", l, layer(l).inputs, after);
    TaskIds beside;  // transfers during the product
    if (graph_.sequence() && begins_outputs(s, l)) {
      const TaskIds gathered = graph_.activations(again + "gather tokens", "allgather", l, layer(l).inputs, after);
      overlaps() ? beside = gathered : after = gathered;
    }
    append(after, gathers.before(l));
    if (again.empty() && graph_.micro_batch == 0) append(after, end_.gate(l));
    const StepLayer& step = layer(l).step;
    const bool apart = attention_apart(l);
    if (apart) after = graph_.attention(again + "attention", l, Pass::forward, step.attention, 1, after);
    const TaskIds before = after;
    const Work product = apart ? rest(step.forward, step.attention) : step.forward;
    after = {graph_.compute(again + "forward", l, Pass::forward, product, after)};
    gathers.used(l, after);
    if (graph_.tensor() > 1 && layer(l).split == Split::inputs) {
      if (!graph_.sequence())
        after = graph_.activations(again + "activations", "allreduce", l, layer(l).outputs, after);
      else if (!overlaps())
        after = graph_.activations(again + "scatter tokens", "reduce_scatter", l, layer(l).outputs, after);
      else
        append(after, graph_.activations(again + "scatter tokens", "reduce_scatter", l, layer(l).outputs, before));
    }
    append(after, beside);
    if (ends_experts(s, l)) after = graph_.exchange(again + "combine", l, layer(l).outputs, after);
    return after;
  }

  void forward(unsigned s) {
    const unsigned place = graph_.place_of(s);
    TaskIds after = last_[place];
    if (s > 0) append(after, graph_.move("receive", TaskKind::receive, s, s - 1, begin_[place]));
    std::vector<std::size_t> order;
    for (std::size_t l = graph_.first[s]; l < graph_.first[s + 1]; ++l) order.push_back(l);
    ParameterGathers gathers(graph_, std::move(order), last_[place]);
    for (std::size_t l = graph_.first[s]; l < graph_.first[s + 1]; ++l) after = forward_layer(s, l, "", after, gathers);
    last_[place] = after;
    if (s + 1 < graph_.stages()) graph_.move("send", TaskKind::send, s, s + 1, after);
  }

  /// Adds backward of a layer with its collectives. Returns the tasks that the next layer waits for.
  TaskIds backward_layer(unsigned s, std::size_t l, TaskIds after, ParameterGathers& gathers) {
    const StepLayer& step = layer(l).step;
    const bool inputs = l > 0 || spec_.first_input_gradient, tokens = graph_.sequence();
    if (ends_experts(s, l)) after = graph_.exchange("combine back", l, layer(l).outputs, after);
    if (tokens && ends_outputs(s, l))
      inputs_again_ = graph_.activations("gather tokens again", "allgather", l, layer(l).inputs, after);
    TaskIds beside;  // transfers during the product of the input gradient
    if (tokens && layer(l).split == Split::inputs) {
      const TaskIds gathered = graph_.activations("gather gradients of tokens", "allgather", l, layer(l).outputs, after);
      overlaps() ? beside = gathered : after = gathered;
    }
    append(after, gathers.before(l));
    if (repeats_attention(step, spec_.recompute))
      after = graph_.attention("repeated attention", l, Pass::forward, step.attention, 1, after);
    if (spec_.weight_first) append(after, std::exchange(beside, {}));
    if (!spec_.weight_first) after = input_gradient(l, after, beside);
    const TaskIds between = after;
    if (tokens && layer(l).split == Split::outputs) append(after, inputs_again_);
    after = {graph_.compute("wg", l, Pass::weight_gradient, step.weight_gradient, after)};
    ready_[l] = after.front();
    const TaskIds before = spec_.weight_first ? after : between;
    if (spec_.weight_first) after = input_gradient(l, after, {});
    gathers.used(l, after);
    if (spec_.sharding == Sharding::all) scatter(l);
    if (graph_.tensor() > 1 && inputs && begins_outputs(s, l)) {
      if (!tokens)
        after = graph_.activations("gradients of activations", "allreduce", l, layer(l).inputs, after);
      else if (!overlaps())
        after = graph_.activations("scatter gradients of tokens", "reduce_scatter", l, layer(l).inputs, after);
      else
        append(after, graph_.activations("scatter gradients of tokens", "reduce_scatter", l, layer(l).inputs, before));
    }
    if (begins_experts(s, l)) after = graph_.exchange("dispatch back", l, layer(l).inputs, after);
    return after;
  }

  /// Adds the gradient of the inputs of a layer, and of its attention. The latter waits for `beside`, too.
  TaskIds input_gradient(std::size_t l, TaskIds after, const TaskIds& beside) {
    const StepLayer& step = layer(l).step;
    const bool inputs = l > 0 || spec_.first_input_gradient, apart = inputs && attention_apart(l);
    const Work product = apart ? rest(step.input_gradient, step.attention_gradient) : step.input_gradient;
    if (inputs) after = {graph_.compute("ig", l, Pass::input_gradient, product, after)};
    append(after, beside);
    if (apart) after = graph_.attention("attention gradient", l, Pass::input_gradient, step.attention_gradient, 2, after);
    return after;
  }

  void backward(unsigned s) {
    const unsigned place = graph_.place_of(s);
    TaskIds after = last_[place];
    if (s + 1 < graph_.stages()) append(after, graph_.move("receive gradient", TaskKind::receive, s, s + 1, begin_[place]));
    const bool repeats = spec_.recompute == Recompute::full;
    ParameterGathers gathers(graph_, backward_order(s, repeats), last_[place]);
    for (std::size_t l = graph_.first[s + 1]; l-- > graph_.first[s];) {
      if (repeats && (l + 1 == graph_.first[s + 1] || block_begin(s, l + 1) == l + 1))
        for (std::size_t k = block_begin(s, l); k <= l; ++k) after = forward_layer(s, k, "repeated ", after, gathers);
      after = backward_layer(s, l, after, gathers);
    }
    last_[place] = after;
    if (s > 0) graph_.move("send gradient", TaskKind::send, s, s - 1, after);
  }

  /// Returns the layers of a stage in the order of their first use in backward: blocks from the end, whose layers forward
  /// repeats from the first on.
  std::vector<std::size_t> backward_order(unsigned s, bool repeats) const {
    std::vector<std::size_t> order;
    for (std::size_t end = graph_.first[s + 1]; end > graph_.first[s];) {
      const std::size_t begin = repeats ? block_begin(s, end - 1) : end - 1;
      for (std::size_t l = begin; l < end; ++l) order.push_back(l);
      end = begin;
    }
    return order;
  }

  void scatter(std::size_t l) {
    const std::uint64_t weights = layer(l).step.weights();
    if (weights == 0) return;
    append(scattered_[graph_.place_with(l)], graph_.gradients("reduce_scatter", "reduce_scatter", l, weights,
                                                              graph_.sum_groups(l), gradient_queue, {ready_[l]}));
  }

  const ModelParallelSpec& spec_;
  StageGraph graph_;
  StageEnd end_;
  std::vector<TaskIds> last_, begin_;  ///< by place: tasks that its next task, and its next iteration, waits for
  std::vector<TaskIds> scattered_;     ///< by place: sums of the iteration with Sharding::all
  TaskIds ready_;                      ///< by layer: task that completes its gradients
  TaskIds inputs_again_;               ///< sequence: gathered inputs of a run of layers split by outputs, for backward
};

void check(const ModelParallelSpec& spec) {
  if (spec.layers.empty()) throw InputError("the network has no layers");
  if (spec.plan.mode == Mode::fusion)
    throw InputError(
        "comm.grouping=fusion is not supported with training.parallel (legal: one_shot, layer_wise, bucket, partition)");
  if (spec.replicas % spec.degrees.expert != 0)
    throw InputError("expert=" + std::to_string(spec.degrees.expert) + " does not divide " + std::to_string(spec.replicas) +
                     " replicas (legal: a divisor)");
  if (spec.virtual_stages > 1 && spec.degrees.pipeline == 1)
    throw InputError("training.virtual_stages=" + std::to_string(spec.virtual_stages) +
                     " without a pipeline (legal: training.parallel with pipeline=N, N above 1)");
  if (spec.sequence && spec.degrees.tensor == 1)
    throw InputError(
        "training.sequence_parallel without tensor parallel ranks (legal: training.parallel with tensor=N, N "
        "above 1)");
  if (spec.overlap != TensorOverlap::none && !spec.sequence)
    throw InputError("comm.tensor_overlap=gemm without training.sequence_parallel (legal: with it, or none)");
  if (spec.replicas % spec.degrees.context != 0)
    throw InputError("context=" + std::to_string(spec.degrees.context) + " does not divide " +
                     std::to_string(spec.replicas) + " replicas (legal: a divisor)");
  const auto attends = [](const PartLayer& layer) { return layer.keys > 0; };
  if (spec.degrees.context > 1 && std::none_of(spec.layers.begin(), spec.layers.end(), attends))
    throw InputError("context=" + std::to_string(spec.degrees.context) +
                     " needs layers with attention (legal: layers with 'attention', or context=1)");
  if (spec.sharding != Sharding::all) return;
  std::vector<StepLayer> layers;
  for (const PartLayer& layer : spec.layers) layers.push_back(layer.step);
  check_units(layers, spec.plan.mode, spec.priority, spec.queues);
}

}  // namespace

TaskGraph model_parallel(const ModelParallelSpec& spec) {
  check(spec);
  return ModelParallelBuilder(spec).build();
}

}  // namespace tributary::training
