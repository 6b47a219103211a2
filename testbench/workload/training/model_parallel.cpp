#include "testbench/workload/training/model_parallel.h"

#include <algorithm>
#include <optional>

#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

using Ids = std::vector<TaskId>;

/// Tasks one after another.
class Chain {
 public:
  Chain(TaskGraph& graph, const std::vector<PartLayer>& layers, int iterations) : graph_(graph), layers_(layers) {
    if (layers.empty()) throw InputError("the network has no layers");
    graph_.iterations = iterations;
    for (const PartLayer& layer : layers) graph_.layers.push_back(layer.name);
  }

  int iteration = 0, micro_batch = 0;
  Ids last;  ///< what the next task waits for

  Task task(const std::string& name, TaskKind kind, int layer) const {
    Task t;
    t.name = name + " " + layers_[static_cast<std::size_t>(layer)].name;
    t.kind = kind;
    t.after = last;
    t.iteration = iteration;
    t.micro_batch = micro_batch;
    t.layer = layer;
    return t;
  }
  void compute(const std::string& name, int layer, Pass pass, const Work& work) {
    Task t = task(name, TaskKind::compute, layer);
    t.pass = pass;
    t.work = work;
    last = {graph_.add(std::move(t))};
  }
  /// One for each group; the next task waits for that of its own rank.
  void collective(const std::string& name, int layer, const std::vector<GroupId>& groups, const Transfer& transfer) {
    Ids done;
    for (GroupId group : groups) {
      Task t = task(name, TaskKind::collective, layer);
      t.group = group;
      t.transfer = transfer;
      done.push_back(graph_.add(std::move(t)));
    }
    last = done;
  }
  void end() {
    Task t;
    t.name = "end " + std::to_string(iteration);
    t.kind = TaskKind::mark;
    t.after = last;
    t.iteration = iteration;
    last = {graph_.add(std::move(t))};
  }

 private:
  TaskGraph& graph_;
  const std::vector<PartLayer>& layers_;
};

Transfer transfer_of(const char* collective, const std::string& algorithm, std::uint64_t bytes, ElementType type) {
  Transfer transfer;
  transfer.collective = collective;
  transfer.algorithm = algorithm;
  transfer.bytes = bytes;
  transfer.type = type;
  return transfer;
}

/// The first and the second part of a layer.
Work half(Work work, bool second) {
  const auto cut = [&](std::uint64_t& x) { x = second ? x - x / 2 : x / 2; };
  if (work.kind == Work::Kind::gemm)
    cut(work.columns);
  else
    cut(work.time), cut(work.flop), cut(work.bytes);
  return work;
}

}  // namespace

TaskGraph tensor_parallel(const TensorParallelSpec& spec) {
  TaskGraph graph(spec.ranks * spec.replicas);
  std::vector<GroupId> within, across;
  for (int r = 0; r < spec.replicas; ++r) {
    std::vector<int> members;
    for (int k = 0; k < spec.ranks; ++k) members.push_back(r * spec.ranks + k);
    within.push_back(graph.add_group("tp" + std::to_string(r), std::move(members)));
  }
  for (int k = 0; spec.replicas > 1 && k < spec.ranks; ++k) {
    std::vector<int> members;
    for (int r = 0; r < spec.replicas; ++r) members.push_back(r * spec.ranks + k);
    across.push_back(graph.add_group("dp" + std::to_string(k), std::move(members)));
  }
  const Transfer activations = transfer_of("allreduce", spec.algorithm, spec.activation_bytes, spec.type);
  const Transfer gradients = transfer_of("allreduce", spec.algorithm, spec.gradient_bytes, spec.type);
  Chain chain(graph, spec.layers, spec.iterations);
  const int layers = static_cast<int>(spec.layers.size());
  for (chain.iteration = 0; chain.iteration < spec.iterations; ++chain.iteration) {
    Ids reduced;
    for (unsigned m = 0; m < spec.micro_batches; ++m) {
      chain.micro_batch = static_cast<int>(m);
      for (int l = 0; l < layers; ++l)
        for (bool second : {false, true}) {
          chain.compute("forward", l, Pass::forward, half(spec.layers[static_cast<std::size_t>(l)].forward, second));
          chain.collective("activations", l, within, activations);
        }
      for (int l = layers; l-- > 0;) {
        for (bool second : {true, false}) {
          chain.compute("backward", l, Pass::weight_gradient,
                        half(spec.layers[static_cast<std::size_t>(l)].backward, second));
          chain.collective("gradients of activations", l, within, activations);
        }
        if (across.empty() || spec.gradient_bytes == 0 || m + 1 < spec.micro_batches) continue;
        const Ids path = chain.last;  // backward goes on meanwhile
        chain.collective("gradients", l, across, gradients);
        for (TaskId t : chain.last) graph.tasks[t].stream = 1;
        reduced.insert(reduced.end(), chain.last.begin(), chain.last.end());
        chain.last = path;
      }
    }
    chain.last.insert(chain.last.end(), reduced.begin(), reduced.end());
    chain.end();
  }
  return graph;
}

TaskGraph expert_parallel(const ExpertParallelSpec& spec) {
  TaskGraph graph(spec.ranks);
  const Transfer tokens = transfer_of("alltoall", spec.algorithm, spec.bytes, spec.type);
  Chain chain(graph, spec.layers, spec.iterations);
  const int layers = static_cast<int>(spec.layers.size());
  for (chain.iteration = 0; chain.iteration < spec.iterations; ++chain.iteration) {
    for (int l = 0; l < layers; ++l) {
      chain.collective("dispatch", l, {0}, tokens);
      chain.compute("forward", l, Pass::forward, spec.layers[static_cast<std::size_t>(l)].forward);
      chain.collective("combine", l, {0}, tokens);
    }
    for (int l = layers; l-- > 0;) {
      chain.collective("combine back", l, {0}, tokens);
      chain.compute("backward", l, Pass::weight_gradient, spec.layers[static_cast<std::size_t>(l)].backward);
      chain.collective("dispatch back", l, {0}, tokens);
    }
    chain.end();
  }
  return graph;
}

namespace {

/// One stage of a pipeline.
class Stage {
 public:
  Stage(const PipelineSpec& spec, TaskGraph& graph, int stage)
      : spec_(spec), graph_(graph), stage_(stage), last_stage_(static_cast<int>(spec.stages.size()) - 1) {}

  void iteration(int number) {
    iteration_ = number;
    const int all = static_cast<int>(spec_.micro_batches), warm = std::min(all, last_stage_ - stage_);
    int forward_done = 0, backward_done = 0;
    while (forward_done < warm) forward(forward_done++);
    while (forward_done < all) forward(forward_done++), backward(backward_done++);
    while (backward_done < all) backward(backward_done++);
  }

 private:
  const PartLayer& work() const { return spec_.stages[static_cast<std::size_t>(stage_)]; }
  TaskId add(const char* name, TaskKind kind, int micro_batch, std::optional<TaskId> after) {
    Task t;
    t.name = std::string(name) + " " + std::to_string(micro_batch) + " " + work().name;
    t.kind = kind;
    t.rank = t.layer = stage_;
    t.iteration = iteration_;
    t.micro_batch = micro_batch;
    if (after) t.after.push_back(*after);
    return graph_.add(std::move(t));
  }
  std::optional<TaskId> move(const char* name, TaskKind kind, int peer, int micro_batch, bool back,
                             std::optional<TaskId> after) {
    if (peer < 0 || peer > last_stage_) return after;
    const TaskId id = add(name, kind, micro_batch, after);
    Transfer& transfer = graph_.tasks[id].transfer;
    transfer.peer = peer;
    transfer.bytes = spec_.activation_bytes;
    transfer.type = spec_.type;
    transfer.tag = back ? 1 : 0;
    graph_.tasks[id].stream = back ? 1 : 0;
    return id;
  }
  TaskId compute(const char* name, int micro_batch, Pass pass, const Work& work, std::optional<TaskId> after) {
    const TaskId id = add(name, TaskKind::compute, micro_batch, after);
    if (last_) graph_.tasks[id].after.push_back(*last_);
    graph_.tasks[id].pass = pass;
    graph_.tasks[id].work = work;
    last_ = id;
    return id;
  }
  void forward(int m) {
    const auto come = move("receive", TaskKind::receive, stage_ - 1, m, false, std::nullopt);
    move("send", TaskKind::send, stage_ + 1, m, false, compute("forward", m, Pass::forward, work().forward, come));
  }
  void backward(int m) {
    const auto come = move("receive gradient", TaskKind::receive, stage_ + 1, m, true, std::nullopt);
    move("send gradient", TaskKind::send, stage_ - 1, m, true,
         compute("backward", m, Pass::weight_gradient, work().backward, come));
  }

  const PipelineSpec& spec_;
  TaskGraph& graph_;
  int stage_, last_stage_;
  int iteration_ = 0;
  std::optional<TaskId> last_;
};

}  // namespace

TaskGraph pipeline_parallel(const PipelineSpec& spec) {
  if (spec.stages.empty()) throw InputError("the pipeline has no stages");
  TaskGraph graph(static_cast<int>(spec.stages.size()));
  graph.iterations = spec.iterations;
  for (const PartLayer& stage : spec.stages) graph.layers.push_back(stage.name);
  for (int s = 0; s < graph.ranks; ++s) {
    Stage stage(spec, graph, s);
    for (int k = 0; k < spec.iterations; ++k) stage.iteration(k);
  }
  return graph;
}

}  // namespace tributary::training
