#include "testbench/workload/training/model_parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

using Ids = std::vector<TaskId>;

enum CommStreams : std::uint32_t { activation_stream, forward_stream, backward_stream, gradient_stream, tie_stream };
constexpr std::uint32_t update_stream = 1;

Tick work_of_layer(const PartLayer& layer) {
  return layer.step.forward.time + layer.step.input_gradient.time + layer.step.weight_gradient.time;
}

class ModelParallelBuilder {
 public:
  explicit ModelParallelBuilder(const ModelParallelSpec& spec)
      : spec_(spec),
        graph_(static_cast<int>(spec.degrees.model_ranks() * spec.replicas)),
        first_(stages_of(spec.layers, spec.degrees.pipeline)),
        last_(spec.degrees.pipeline),
        ready_(spec.layers.size()) {
    for (const PartLayer& layer : spec.layers) graph_.layers.push_back(layer.step.name);
    first_.push_back(spec.layers.size());
    graph_.iterations = spec.iterations;
    graph_.issue = spec.issue;
    add_groups();
    for (unsigned p = 0; p < stages(); ++p) plans_.push_back(plans_of(p));
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
  /// Messages of the gradients that one kind of group sums.
  struct GroupPlan {
    std::vector<GroupId> groups;
    std::vector<Message> messages;
  };

  unsigned stages() const { return spec_.degrees.pipeline; }
  unsigned tensor() const { return spec_.degrees.tensor; }
  int rank(unsigned stage, unsigned replica, unsigned part) const {
    return static_cast<int>((stage * spec_.replicas + replica) * tensor() + part);
  }
  const PartLayer& layer(std::size_t l) const { return spec_.layers[l]; }
  std::size_t stage_with(std::size_t l) const {
    return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), l) - first_.begin()) - 1;
  }

  template <class Member>
  GroupId group(const char* name, std::size_t number, unsigned size, Member member) {
    std::vector<int> ranks;
    for (unsigned k = 0; k < size; ++k) ranks.push_back(member(k));
    return graph_.add_group(name + std::to_string(number), std::move(ranks));
  }

  void add_groups() {
    const unsigned replicas = spec_.replicas, experts = spec_.degrees.expert;
    tensor_.resize(stages()), replicas_.resize(stages()), experts_.resize(stages()), same_experts_.resize(stages());
    for (unsigned p = 0; p < stages(); ++p) {
      stage_.push_back(stages() == 1 ? 0
                                     : group("stage", p, replicas * tensor(), [&](unsigned k) { return rank(p, 0, k); }));
      for (unsigned d = 0; tensor() > 1 && d < replicas; ++d)
        tensor_[p].push_back(group("tp", p * replicas + d, tensor(), [&](unsigned t) { return rank(p, d, t); }));
      for (unsigned t = 0; replicas > 1 && t < tensor(); ++t)
        replicas_[p].push_back(group("dp", p * tensor() + t, replicas, [&](unsigned d) { return rank(p, d, t); }));
      if (experts == 1) continue;
      const unsigned sets = replicas / experts;
      for (unsigned t = 0; t < tensor(); ++t) {
        for (unsigned s = 0; s < sets; ++s)
          experts_[p].push_back(
              group("ep", (p * tensor() + t) * sets + s, experts, [&](unsigned e) { return rank(p, s * experts + e, t); }));
        for (unsigned e = 0; sets > 1 && e < experts; ++e)
          same_experts_[p].push_back(
              group("edp", (p * tensor() + t) * experts + e, sets, [&](unsigned s) { return rank(p, s * experts + e, t); }));
      }
    }
  }

  bool spread(std::size_t l) const { return spec_.degrees.expert > 1 && layer(l).chosen > 0; }

  /// Layers of the stage whose gradients are summed in the same groups; weights that a layer of another stage owns are its
  /// own there.
  std::vector<StepLayer> summed_layers(unsigned p, bool experts) const {
    std::vector<StepLayer> part;
    for (std::size_t l = first_[p]; l < first_[p + 1]; ++l) {
      part.push_back(layer(l).step);
      StepLayer& step = part.back();
      if (spread(l) != experts) step.tensors.clear(), step.shares = -1;
      if (step.shares < 0) continue;
      const auto owner = static_cast<std::size_t>(step.shares);
      step.shares = owner >= first_[p] && owner < first_[p + 1] ? static_cast<int>(owner - first_[p]) : -1;
      if (step.shares < 0 && owner < spec_.layers.size()) step.tensors.insert(step.tensors.begin(), tied_weights(owner));
    }
    return part;
  }
  std::uint64_t tied_weights(std::size_t owner) const { return layer(owner).step.tensors.at(0); }

  std::vector<GroupPlan> plans_of(unsigned p) const {
    std::vector<GroupPlan> plans;
    for (const bool experts : {false, true}) {
      const std::vector<GroupId>& groups = experts ? same_experts_[p] : replicas_[p];
      const std::vector<StepLayer> part = summed_layers(p, experts);
      const bool weights = std::any_of(part.begin(), part.end(), [](const StepLayer& s) { return !s.tensors.empty(); });
      if (groups.empty() || !weights) continue;
      plans.push_back({groups, message_plan(part, spec_.plan)});
      for (Message& message : plans.back().messages) {
        message.last_ready += static_cast<int>(first_[p]);
        for (int& l : message.layers) l += static_cast<int>(first_[p]);
      }
    }
    return plans;
  }

  std::uint64_t weights(unsigned p) const {
    std::uint64_t sum = 0;
    for (const bool experts : {false, true})
      for (const StepLayer& step : summed_layers(p, experts)) sum += step.weights();
    return sum;
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
    t.group = stage_[stage_with(l)];
    return t;
  }
  TaskId compute(const char* name, std::size_t l, Pass pass, const Work& work, Ids after) {
    Task t = of_layer(name, TaskKind::compute, l, std::move(after));
    t.pass = pass;
    t.work = work;
    return graph_.add(std::move(t));
  }
  /// Of these tasks those that one of the ranks has a part in.
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
  /// One for each group.
  Ids collective(const char* name, const char* collective, std::size_t l, std::uint64_t bytes,
                 const std::vector<GroupId>& groups, std::uint32_t stream, const Ids& after) {
    Ids all;
    for (const GroupId g : groups) {
      Task t = of_layer(name, TaskKind::collective, l, shared(after, graph_.groups[g].ranks));
      t.group = g;
      t.stream = stream;
      t.transfer.collective = collective;
      t.transfer.algorithm = spec_.algorithm;
      t.transfer.bytes = bytes;
      t.transfer.type = spec_.type;
      all.push_back(graph_.add(std::move(t)));
    }
    return all;
  }
  Ids sum_activations(const char* name, std::size_t l, std::uint64_t elements, const Ids& after) {
    return collective(name, "allreduce", l, known(elements, l) * spec_.plan.element_bytes, tensor_[stage_with(l)],
                      activation_stream, after);
  }
  Ids exchange(const char* name, std::size_t l, std::uint64_t elements, const Ids& after) {
    const double tokens = static_cast<double>(known(elements, l) * layer(l).chosen) * spec_.capacity;
    const auto sent = static_cast<std::uint64_t>(std::llround(tokens));
    return collective(name, "alltoall", l, sent * spec_.plan.element_bytes, experts_[stage_with(l)], activation_stream,
                      after);
  }
  std::uint64_t known(std::uint64_t elements, std::size_t l) const {
    const std::uint64_t there = elements != 0 ? elements : boundary(l);
    if (there == 0)
      throw InputError("layer '" + layer(l).step.name +
                       "': nothing says how many activations there are (legal: conv or "
                       "matrix, in it or in a neighbour)");
    return there;
  }
  /// Elements that enter layer l: what the next layer with a shape takes, or the last one before gives.
  std::uint64_t boundary(std::size_t l) const {
    for (std::size_t k = l; k < spec_.layers.size(); ++k)
      if (layer(k).inputs != 0) return layer(k).inputs;
    for (std::size_t k = l; k-- > 0;)
      if (layer(k).outputs != 0) return layer(k).outputs;
    return 0;
  }

  /// Of every rank of a stage to the same rank of the next, or back.
  Ids move(const char* name, TaskKind kind, unsigned p, unsigned peer, bool back, const Ids& after) {
    const std::size_t l = first_[std::max(p, peer)];
    Ids all;
    for (unsigned d = 0; d < spec_.replicas; ++d)
      for (unsigned t = 0; t < tensor(); ++t) {
        Task move = task(name + (" " + std::to_string(micro_batch_)) + " " + layer(l).step.name, kind,
                         shared(after, {rank(p, d, t)}));
        move.layer = static_cast<int>(l);
        move.rank = rank(p, d, t);
        move.stream = back ? backward_stream : forward_stream;
        move.transfer.peer = rank(peer, d, t);
        move.transfer.bytes = known(boundary(l), l) * spec_.plan.element_bytes;
        move.transfer.type = spec_.type;
        move.transfer.tag = back ? 1 : 0;
        all.push_back(graph_.add(std::move(move)));
      }
    return all;
  }

  /// 1F1B.
  void passes(unsigned p) {
    const unsigned all = spec_.micro_batches, warm = std::min(all, stages() - 1 - p);
    unsigned forward_done = 0, backward_done = 0;
    while (forward_done < warm) forward(p, forward_done++);
    while (forward_done < all) forward(p, forward_done++), backward(p, backward_done++);
    while (backward_done < all) backward(p, backward_done++);
  }

  bool begins_experts(unsigned p, std::size_t l) const { return spread(l) && (l == first_[p] || !spread(l - 1)); }
  bool ends_experts(unsigned p, std::size_t l) const { return spread(l) && (l + 1 == first_[p + 1] || !spread(l + 1)); }
  /// Of a run of layers that are split by outputs, whose inputs are the same.
  bool begins_outputs(unsigned p, std::size_t l) const {
    return layer(l).split == Split::outputs && (l == first_[p] || layer(l - 1).split != Split::outputs);
  }

  void forward(unsigned p, unsigned micro_batch) {
    micro_batch_ = static_cast<int>(micro_batch);
    Ids after = last_[p];
    if (p > 0) {
      const Ids come = move("receive", TaskKind::receive, p, p - 1, false, {});
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
      const Ids come = move("receive gradient", TaskKind::receive, p, p + 1, true, {});
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

  /// Weights that layers of two stages use: their gradients are summed by pairs of ranks. By layer, of both.
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
      const Ids sums = collective("tied gradients", "allreduce", l, tied_weights(o) * spec_.plan.element_bytes, pairs,
                                  tie_stream, {ready_[o], ready_[l]});
      for (const std::size_t both : {o, l}) tied[both].insert(tied[both].end(), sums.begin(), sums.end());
    }
    return tied;
  }

  TaskId update(unsigned p, const std::string& name, int l, std::uint64_t parameters, Ids after) {
    Task t = task(name, TaskKind::optimizer, std::move(after));
    t.group = stage_[p];
    t.layer = l;
    t.pass = Pass::update;
    t.stream = update_stream;
    t.work = Work::of_time(spec_.update(parameters));
    return graph_.add(std::move(t));
  }

  /// Gradients of the replicas, optimizer, and what the next iteration waits for.
  void end(unsigned p, const std::map<std::size_t, Ids>& tied) {
    Ids reduced = last_[p];
    std::uint64_t updated = 0;
    bool each = false;
    for (const auto& [l, sums] : tied)
      if (stage_with(l) == p) reduced.insert(reduced.end(), sums.begin(), sums.end());
    for (const GroupPlan& plan : plans_[p])
      for (const Message& message : plan.messages) {
        Ids after{ready_[static_cast<std::size_t>(message.last_ready)]};
        for (const int l : message.layers)
          if (const auto sums = tied.find(static_cast<std::size_t>(l)); sums != tied.end())
            after.insert(after.end(), sums->second.begin(), sums->second.end());
        Ids sums = collective("gradients", "allreduce", static_cast<std::size_t>(message.last_ready), message.bytes,
                              plan.groups, gradient_stream, after);
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
    const std::uint64_t left = weights(p) - std::min(weights(p), updated);
    if (spec_.update && (!each || left > 0)) reduced = {update(p, "update", -1, left, std::move(reduced))};
    Task mark = task("end " + std::to_string(iteration_), TaskKind::mark, std::move(reduced));
    mark.group = stage_[p];
    last_[p] = {graph_.add(std::move(mark))};
  }

  const ModelParallelSpec& spec_;
  TaskGraph graph_;
  std::vector<std::size_t> first_;  ///< layer of each stage, and one past the last
  std::vector<Ids> last_;           ///< by stage: what its next task waits for
  Ids ready_;                       ///< by layer: its gradients are there
  std::vector<GroupId> stage_;
  std::vector<std::vector<GroupId>> tensor_, replicas_, experts_, same_experts_;  ///< by stage
  std::vector<std::vector<GroupPlan>> plans_;
  std::map<std::size_t, std::vector<GroupId>> pairs_;
  int iteration_ = 0, micro_batch_ = 0;
};

}  // namespace

std::vector<std::size_t> stages_of(const std::vector<PartLayer>& layers, unsigned stages) {
  if (stages > layers.size())
    throw InputError("pipeline=" + std::to_string(stages) + " for " + std::to_string(layers.size()) +
                     " layers (legal: as many as layers, at most)");
  std::vector<Tick> before{0};  // work of the layers before each
  for (const PartLayer& layer : layers) before.push_back(before.back() + work_of_layer(layer));
  constexpr Tick unreachable = std::numeric_limits<Tick>::max();
  // The shortest longest stage of the first l layers in s stages, and where the last of these begins.
  std::vector<std::vector<Tick>> longest(stages + 1, std::vector<Tick>(layers.size() + 1, unreachable));
  std::vector<std::vector<std::size_t>> begin(stages + 1, std::vector<std::size_t>(layers.size() + 1, 0));
  longest[0][0] = 0;
  for (unsigned s = 1; s <= stages; ++s)
    for (std::size_t l = s; l <= layers.size(); ++l)
      for (std::size_t k = s - 1; k < l; ++k) {
        const Tick here = std::max(longest[s - 1][k], before[l] - before[k]);
        if (here < longest[s][l]) longest[s][l] = here, begin[s][l] = k;
      }
  std::vector<std::size_t> first(stages);
  std::size_t l = layers.size();
  for (unsigned s = stages; s > 0; --s) first[s - 1] = l = begin[s][l];
  return first;
}

TaskGraph model_parallel(const ModelParallelSpec& spec) {
  if (spec.layers.empty()) throw InputError("the network has no layers");
  if (spec.plan.mode == Mode::fusion)
    throw InputError(
        "comm.mode=fusion is not offered with training.parallel (legal: one_shot, layer_wise, bucket, partition)");
  if (spec.replicas % spec.degrees.expert != 0)
    throw InputError("expert=" + std::to_string(spec.degrees.expert) + " of " + std::to_string(spec.replicas) +
                     " replicas (legal: a divisor)");
  return ModelParallelBuilder(spec).build();
}

}  // namespace tributary::training
