#include "testbench/workload/training/model_parallel.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/stage_gradients.h"

namespace tributary::training {
namespace {

using Ids = std::vector<TaskId>;

enum CommQueues : std::uint32_t { activation_queue, forward_queue, backward_queue, gradient_queue, tie_queue };
constexpr std::uint32_t update_queue = 1;

class ModelParallelBuilder {
 public:
  explicit ModelParallelBuilder(const ModelParallelSpec& spec)
      : spec_(spec),
        graph_(static_cast<int>(spec.degrees.model_ranks() * spec.replicas)),
        groups_(spec.degrees, spec.replicas, graph_),
        first_(stages_of(spec.layers, spec.degrees.pipeline)),
        last_(spec.degrees.pipeline),
        begin_(spec.degrees.pipeline),
        gradients_(spec, first_, groups_),
        ready_(spec.layers.size()) {
    for (const PartLayer& layer : spec.layers) graph_.layers.push_back(layer.step.name);
    graph_.iterations = spec.iterations;
    graph_.issue = spec.issue;
  }

  TaskGraph build() {
    for (iteration_ = 0; iteration_ < spec_.iterations; ++iteration_) {
      for (unsigned p = 0; p < stages(); ++p) passes(p);
      const auto tied = sum_tied();
      for (unsigned p = 0; p < stages(); ++p) end(p, tied);
    }
    return std::move(graph_);
  }

 private:
  unsigned stages() const { return spec_.degrees.pipeline; }
  unsigned tensor() const { return spec_.degrees.tensor; }
  int rank(unsigned stage, unsigned replica, unsigned part) const { return groups_.rank(stage, replica, part); }
  const PartLayer& layer(std::size_t l) const { return spec_.layers[l]; }
  std::size_t stage_with(std::size_t l) const {
    return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), l) - first_.begin()) - 1;
  }

  Task task(std::string name, TaskKind kind, Ids after) const {
    Task t;
    t.name = std::move(name);
    t.kind = kind;
    t.after = std::move(after);
    t.iteration = iteration_;
    t.micro_batch = micro_batch_;
    return t;
  }
  Task of_layer(const char* name, TaskKind kind, std::size_t l, Ids after) const {
    Task t = task(name + (" " + layer(l).step.name), kind, std::move(after));
    t.layer = static_cast<int>(l);
    t.group = groups_.stage[stage_with(l)];
    return t;
  }
  TaskId compute(const char* name, std::size_t l, Pass pass, const Work& work, Ids after) {
    Task t = of_layer(name, TaskKind::compute, l, std::move(after));
    t.pass = pass;
    t.work = work;
    return graph_.add(std::move(t));
  }
  /// Returns those of the tasks that have an instance on one of the ranks.
  Ids shared(const Ids& tasks, const std::vector<int>& ranks) const {
    Ids all;
    for (const TaskId id : tasks) {
      const std::vector<int> theirs = graph_.ranks_of(graph_.tasks[id]);
      const bool common = std::any_of(ranks.begin(), ranks.end(), [&](int rank) {
        return std::find(theirs.begin(), theirs.end(), rank) != theirs.end();
      });
      if (common) all.push_back(id);
    }
    return all;
  }
  /// Adds one collective per group.
  Ids collective(const char* name, const char* collective, std::size_t l, std::uint64_t bytes,
                 const std::vector<GroupId>& groups, std::uint32_t queue, const Ids& after) {
    Ids all;
    for (const GroupId g : groups) {
      Task t = of_layer(name, TaskKind::collective, l, shared(after, graph_.groups[g].ranks));
      t.group = g;
      t.queue = queue;
      t.transfer.collective = collective;
      t.transfer.algorithm = spec_.algorithm;
      t.transfer.bytes = bytes;
      t.transfer.type = spec_.type;
      all.push_back(graph_.add(std::move(t)));
    }
    return all;
  }
  Ids sum_activations(const char* name, std::size_t l, std::uint64_t elements, const Ids& after) {
    return collective(name, "allreduce", l, known(elements, l) * spec_.plan.element_bytes, groups_.tensor[stage_with(l)],
                      activation_queue, after);
  }
  Ids exchange(const char* name, std::size_t l, std::uint64_t elements, const Ids& after) {
    const double tokens = static_cast<double>(known(elements, l) * layer(l).chosen) * spec_.capacity;
    const auto sent = static_cast<std::uint64_t>(std::llround(tokens));
    return collective(name, "alltoall", l, sent * spec_.plan.element_bytes, groups_.experts[stage_with(l)], activation_queue,
                      after);
  }
  std::uint64_t known(std::uint64_t elements, std::size_t l) const {
    const std::uint64_t there = elements != 0 ? elements : boundary(l);
    if (there == 0)
      throw InputError("layer '" + layer(l).step.name +
                       "': unknown number of activations (legal: conv or matrix, in this layer or a neighbour)");
    return there;
  }
  /// Returns the elements that enter layer l: the next known inputs, or the previous known outputs.
  std::uint64_t boundary(std::size_t l) const {
    for (std::size_t k = l; k < spec_.layers.size(); ++k)
      if (layer(k).inputs != 0) return layer(k).inputs;
    for (std::size_t k = l; k-- > 0;)
      if (layer(k).outputs != 0) return layer(k).outputs;
    return 0;
  }

  /// Adds a transfer from every rank of a stage to the same rank of the next stage, or back.
  Ids move(const char* name, TaskKind kind, unsigned p, unsigned peer, bool back, const Ids& after) {
    const std::size_t l = first_[std::max(p, peer)];
    Ids all;
    for (unsigned d = 0; d < spec_.replicas; ++d)
      for (unsigned t = 0; t < tensor(); ++t) {
        Task move = task(name + (" " + std::to_string(micro_batch_)) + " " + layer(l).step.name, kind,
                         shared(after, {rank(p, d, t)}));
        move.layer = static_cast<int>(l);
        move.rank = rank(p, d, t);
        move.queue = back ? backward_queue : forward_queue;
        move.transfer.peer = rank(peer, d, t);
        move.transfer.bytes = known(boundary(l), l) * spec_.plan.element_bytes;
        move.transfer.type = spec_.type;
        move.transfer.tag = back ? 1 : 0;
        all.push_back(graph_.add(std::move(move)));
      }
    return all;
  }

  /// Adds the passes of a stage in the order of 1F1B.
  void passes(unsigned p) {
    const unsigned all = spec_.micro_batches, warm = std::min(all, stages() - 1 - p);
    unsigned forward_done = 0, backward_done = 0;
    while (forward_done < warm) forward(p, forward_done++);
    while (forward_done < all) forward(p, forward_done++), backward(p, backward_done++);
    while (backward_done < all) backward(p, backward_done++);
  }

  bool begins_experts(unsigned p, std::size_t l) const {
    return gradients_.spread(l) && (l == first_[p] || !gradients_.spread(l - 1));
  }
  bool ends_experts(unsigned p, std::size_t l) const {
    return gradients_.spread(l) && (l + 1 == first_[p + 1] || !gradients_.spread(l + 1));
  }
  /// True for the first of a run of layers that are split by outputs, which have the same inputs.
  bool begins_outputs(unsigned p, std::size_t l) const {
    return layer(l).split == Split::outputs && (l == first_[p] || layer(l - 1).split != Split::outputs);
  }

  void forward(unsigned p, unsigned micro_batch) {
    micro_batch_ = static_cast<int>(micro_batch);
    Ids after = last_[p];
    if (p > 0) {
      const Ids come = move("receive", TaskKind::receive, p, p - 1, false, begin_[p]);
      after.insert(after.end(), come.begin(), come.end());
    }
    for (std::size_t l = first_[p]; l < first_[p + 1]; ++l) {
      if (begins_experts(p, l)) after = exchange("dispatch", l, layer(l).inputs, after);
      after = {compute("forward", l, Pass::forward, layer(l).step.forward, after)};
      if (tensor() > 1 && layer(l).split == Split::inputs)
        after = sum_activations("activations", l, layer(l).outputs, after);
      if (ends_experts(p, l)) after = exchange("combine", l, layer(l).outputs, after);
    }
    last_[p] = after;
    if (p + 1 < stages()) move("send", TaskKind::send, p, p + 1, false, after);
  }

  void backward(unsigned p, unsigned micro_batch) {
    micro_batch_ = static_cast<int>(micro_batch);
    Ids after = last_[p];
    if (p + 1 < stages()) {
      const Ids come = move("receive gradient", TaskKind::receive, p, p + 1, true, begin_[p]);
      after.insert(after.end(), come.begin(), come.end());
    }
    for (std::size_t l = first_[p + 1]; l-- > first_[p];) {
      const StepLayer& step = layer(l).step;
      const bool inputs = l > 0 || spec_.first_input_gradient;
      if (ends_experts(p, l)) after = exchange("combine back", l, layer(l).outputs, after);
      const auto input = [&] {
        if (inputs) after = {compute("ig", l, Pass::input_gradient, step.input_gradient, after)};
      };
      if (!spec_.weight_first) input();
      after = {compute("wg", l, Pass::weight_gradient, step.weight_gradient, after)};
      ready_[l] = after.front();
      if (spec_.weight_first) input();
      if (tensor() > 1 && inputs && begins_outputs(p, l))
        after = sum_activations("gradients of activations", l, layer(l).inputs, after);
      if (begins_experts(p, l)) after = exchange("dispatch back", l, layer(l).inputs, after);
    }
    last_[p] = after;
    if (p > 0) move("send gradient", TaskKind::send, p, p - 1, true, after);
  }

  /// Sums the gradients of weights that layers of two stages share, by pairs of ranks. Returns the sums by layer, for both
  /// layers.
  std::map<std::size_t, Ids> sum_tied() {
    std::map<std::size_t, Ids> tied;
    for (std::size_t l = 0; l < spec_.layers.size(); ++l) {
      const int owner = layer(l).step.shares;
      if (owner < 0 || static_cast<std::size_t>(owner) >= spec_.layers.size()) continue;
      const auto o = static_cast<std::size_t>(owner);
      const auto p = static_cast<unsigned>(stage_with(o)), q = static_cast<unsigned>(stage_with(l));
      if (p == q) continue;
      std::vector<GroupId>& pairs = pairs_[l];
      for (unsigned k = 0; pairs.size() < spec_.replicas * tensor(); ++k)
        pairs.push_back(
            graph_.add_group("tied" + std::to_string(l) + "_" + std::to_string(k), {rank(p, 0, k), rank(q, 0, k)}));
      const Ids sums = collective("tied gradients", "allreduce", l, gradients_.tied_weights(o) * spec_.plan.element_bytes,
                                  pairs, tie_queue, {ready_[o], ready_[l]});
      for (const std::size_t both : {o, l}) tied[both].insert(tied[both].end(), sums.begin(), sums.end());
    }
    return tied;
  }

  TaskId update(unsigned p, const std::string& name, int l, std::uint64_t parameters, Ids after) {
    Task t = task(name, TaskKind::optimizer, std::move(after));
    t.group = groups_.stage[p];
    t.layer = l;
    t.pass = Pass::update;
    t.queue = update_queue;
    t.work = Work::of_time(spec_.update(parameters));
    return graph_.add(std::move(t));
  }

  /// Adds the gradient sums of replicas, the optimizer, and the end of the iteration, which the next iteration waits for.
  void end(unsigned p, const std::map<std::size_t, Ids>& tied) {
    Ids reduced = last_[p];
    std::uint64_t updated = 0;
    bool each = false;
    for (const auto& [l, sums] : tied)
      if (stage_with(l) == p) reduced.insert(reduced.end(), sums.begin(), sums.end());
    for (const StageGradients::GroupPlan& plan : gradients_.plans(p))
      for (const Message& message : plan.messages) {
        Ids after{ready_[static_cast<std::size_t>(message.last_ready)]};
        for (const int l : message.layers)
          if (const auto sums = tied.find(static_cast<std::size_t>(l)); sums != tied.end())
            after.insert(after.end(), sums->second.begin(), sums->second.end());
        Ids sums = collective("gradients", "allreduce", static_cast<std::size_t>(message.last_ready), message.bytes,
                              plan.groups, gradient_queue, after);
        for (const TaskId sum : sums) {
          graph_.tasks[sum].name = "allreduce " + message.name;
          graph_.tasks[sum].transfer.buffer = BufferRange{message.first, message.bytes};
        }
        if (spec_.update && spec_.update_each) {
          const std::uint64_t parameters = message.bytes / spec_.plan.element_bytes;
          sums = {update(p, "update " + message.name, message.last_ready, parameters, sums)};
          updated += parameters, each = true;
        }
        reduced.insert(reduced.end(), sums.begin(), sums.end());
      }
    const std::uint64_t left = gradients_.weights(p) - std::min(gradients_.weights(p), updated);
    if (spec_.update && (!each || left > 0)) reduced = {update(p, "update", -1, left, std::move(reduced))};
    Task mark = task("end " + std::to_string(iteration_), TaskKind::mark, std::move(reduced));
    mark.group = groups_.stage[p];
    last_[p] = begin_[p] = {graph_.add(std::move(mark))};
  }

  const ModelParallelSpec& spec_;
  TaskGraph graph_;
  ParallelGroups groups_;
  std::vector<std::size_t> first_;  ///< first layer of each stage, and one past the last layer
  std::vector<Ids> last_,
      begin_;  ///< by stage: tasks that its next task waits for, and that all tasks of an iteration wait for
  StageGradients gradients_;
  Ids ready_;  ///< by layer: task that completes its gradients
  std::map<std::size_t, std::vector<GroupId>> pairs_;
  int iteration_ = 0, micro_batch_ = 0;
};

}  // namespace

TaskGraph model_parallel(const ModelParallelSpec& spec) {
  if (spec.layers.empty()) throw InputError("the network has no layers");
  if (spec.plan.mode == Mode::fusion)
    throw InputError(
        "comm.grouping=fusion is not supported with training.parallel (legal: one_shot, layer_wise, bucket, partition)");
  if (spec.replicas % spec.degrees.expert != 0)
    throw InputError("expert=" + std::to_string(spec.degrees.expert) + " does not divide " + std::to_string(spec.replicas) +
                     " replicas (legal: a divisor)");
  return ModelParallelBuilder(spec).build();
}

}  // namespace tributary::training
