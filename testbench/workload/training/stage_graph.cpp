#include "testbench/workload/training/stage_graph.h"

#include <algorithm>
#include <cmath>

#include "testbench/workload/input_error.h"

namespace tributary::training {

void append(TaskIds& ids, const TaskIds& more) { ids.insert(ids.end(), more.begin(), more.end()); }

StageGraph::StageGraph(const ModelParallelSpec& of)
    : spec(of),
      graph(static_cast<int>(of.degrees.model_ranks() * of.replicas)),
      groups(of.degrees, of.replicas, graph, of.classes),
      first(stages_of(of.layers, of.degrees.pipeline * of.virtual_stages, of.stage_rule)) {
  for (const PartLayer& l : of.layers) graph.layers.push_back(l.step.name);
  graph.iterations = of.iterations;
  graph.issue = of.issue;
  graph.comm_order = of.priority ? Order::priority : Order::listed;
  graph.credit = of.plan.mode == Mode::partition ? of.credit : 0;
}

unsigned StageGraph::stage_with(std::size_t l) const {
  return static_cast<unsigned>(std::upper_bound(first.begin(), first.end(), l) - first.begin()) - 1;
}

const std::vector<GroupId>& StageGraph::sum_groups(std::size_t l) const {
  return spread(l) ? groups.same_experts[place_with(l)] : groups.replicas[place_with(l)];
}

Task StageGraph::task(std::string name, TaskKind kind, TaskIds after) const {
  Task t;
  t.name = std::move(name);
  t.kind = kind;
  t.after = std::move(after);
  t.iteration = iteration;
  t.micro_batch = micro_batch;
  if (spec.priority && moves(kind)) t.priority = -1;  // activations go before gradients
  return t;
}

Task StageGraph::of_layer(const std::string& name, TaskKind kind, std::size_t l, TaskIds after) const {
  Task t = task(name + " " + layer(l).step.name, kind, std::move(after));
  t.layer = static_cast<int>(l);
  t.group = groups.stage[place_with(l)];
  return t;
}

TaskId StageGraph::compute(const std::string& name, std::size_t l, Pass pass, const Work& work, TaskIds after) {
  Task t = of_layer(name, TaskKind::compute, l, std::move(after));
  t.pass = pass;
  t.work = work;
  return graph.add(std::move(t));
}

TaskIds StageGraph::shared(const TaskIds& tasks, const std::vector<int>& ranks) const {
  TaskIds all;
  for (const TaskId id : tasks) {
    const std::vector<int> theirs = graph.ranks_of(graph.tasks[id]);
    const bool common = std::any_of(ranks.begin(), ranks.end(),
                                    [&](int rank) { return std::find(theirs.begin(), theirs.end(), rank) != theirs.end(); });
    if (common) all.push_back(id);
  }
  return all;
}

TaskIds StageGraph::collective(const std::string& name, const char* collective, std::size_t l, std::uint64_t bytes,
                               const std::vector<GroupId>& of, std::uint32_t queue, const TaskIds& after, Form form) {
  TaskIds all;
  for (const GroupId g : of) {
    Task t = of_layer(name, TaskKind::collective, l, shared(after, graph.groups[g].ranks));
    t.group = g;
    t.queue = queue;
    t.transfer.collective = collective;
    t.transfer.algorithm = spec.algorithm;
    t.transfer.bytes = bytes;
    t.transfer.type = spec.type;
    t.form = form;
    all.push_back(graph.add(std::move(t)));
  }
  return all;
}

TaskIds StageGraph::gradients(const std::string& name, const char* collective, std::size_t l, std::uint64_t elements,
                              const std::vector<GroupId>& of, std::uint32_t queue, const TaskIds& after) {
  const TaskIds all =
      this->collective(name, collective, l, elements * spec.plan.element_bytes, of, queue, after, Form::data);
  for (const TaskId id : all) graph.tasks[id].transfer.type = spec.gradient_type.value_or(spec.type);
  return all;
}

TaskIds StageGraph::activations(const std::string& name, const char* collective, std::size_t l, std::uint64_t elements,
                                const TaskIds& after) {
  return this->collective(name, collective, l, known(elements, l) * element_size(spec.type), groups.tensor[place_with(l)],
                          activation_queue, after, Form::tensor);
}

/// Adds one step of a ring: each rank sends keys and values to the next. An all-gather of c parts by a ring has c - 1 such
/// steps, so an all-gather of c / (c - 1) parts moves the same bytes over the same links.
TaskIds StageGraph::ring_step(const std::string& name, std::size_t l, unsigned rounds, const TaskIds& after) {
  const std::uint64_t part = (layer(l).keys * rounds + context() - 2) / (context() - 1);
  return collective(name, "allgather", l, part * context() * element_size(spec.type), groups.context[place_with(l)],
                    key_queue, after, Form::tensor);
}

TaskIds StageGraph::attention(const std::string& name, std::size_t l, Pass pass, const Work& work, unsigned rounds,
                              TaskIds after) {
  if (context() == 1) return {compute(name, l, pass, work, std::move(after))};
  const auto part = [&](unsigned k) {  // the parts have the time of the whole
    return Work::of_time(work.time * (k + 1) / context() - work.time * k / context(), work.memory_bound);
  };
  const auto named = [&](const char* what, unsigned k) { return what + (" " + std::to_string(k) + " of ") + name; };
  TaskIds sent = after, free = after;  // free: one of the two buffers for keys and values that arrive
  TaskIds done{compute(named("part", 0), l, pass, part(0), std::move(after))};
  for (unsigned k = 1; k < context(); ++k) {
    TaskIds begin = sent;
    append(begin, free);
    free = done;
    sent = ring_step(named("keys", k), l, rounds, begin);
    append(done, sent);
    done = {compute(named("part", k), l, pass, part(k), std::move(done))};
  }
  return done;
}

TaskIds StageGraph::exchange(const std::string& name, std::size_t l, std::uint64_t elements, const TaskIds& after) {
  const double tokens = static_cast<double>(of_tokens(known(elements, l)) * layer(l).chosen) * spec.capacity;
  const auto sent = static_cast<std::uint64_t>(std::llround(tokens));
  return collective(name, "alltoall", l, sent * element_size(spec.type), groups.experts[place_with(l)], activation_queue,
                    after, Form::expert);
}

TaskIds StageGraph::move(const char* name, TaskKind kind, unsigned stage, unsigned peer, const TaskIds& after) {
  const unsigned upper = std::max(stage, peer);
  const bool back = (kind == TaskKind::send ? peer : stage) < upper;
  const std::size_t l = first[upper];
  TaskIds all;
  for (unsigned d = 0; d < (spec.classes ? 1 : spec.replicas); ++d)
    for (unsigned t = 0; t < (spec.classes ? 1 : tensor()); ++t) {
      const int rank = groups.rank(place_of(stage), d, t);
      Task move = task(name + (" " + std::to_string(micro_batch)) + " " + layer(l).step.name, kind, shared(after, {rank}));
      move.layer = static_cast<int>(l);
      move.rank = rank;
      move.queue = back ? backward_queue : forward_queue;
      move.transfer.peer = groups.rank(place_of(peer), d, t);
      move.transfer.bytes = of_tokens(known(boundary(l), l)) * element_size(spec.type);
      move.transfer.type = spec.type;
      if (spec.classes)
        move.group =
            kind == TaskKind::send ? moves_between(rank, move.transfer.peer) : moves_between(move.transfer.peer, rank);
      move.form = Form::pipeline;
      move.transfer.tag = (upper - 1) / places() * 2 + (back ? 1 : 0);
      all.push_back(graph.add(std::move(move)));
    }
  return all;
}

GroupId StageGraph::moves_between(int from, int to) {
  const auto [known, fresh] = moves_.emplace(std::pair(from, to), 0);
  if (fresh) {
    known->second = graph.add_group("move" + std::to_string(from) + "_" + std::to_string(to), {from, to});
    for (unsigned k = 1; k < alike(); ++k) graph.groups[known->second].shifts.push_back(static_cast<int>(k));
  }
  return known->second;
}

std::uint64_t StageGraph::known(std::uint64_t elements, std::size_t l) const {
  const std::uint64_t there = elements != 0 ? elements : boundary(l);
  if (there == 0)
    throw InputError("layer '" + layer(l).step.name +
                     "': unknown number of activations (legal: conv or matrix, in this layer or a neighbour)");
  return there;
}

/// Returns the elements that enter layer l: the next known inputs, or the previous known outputs.
std::uint64_t StageGraph::boundary(std::size_t l) const {
  for (std::size_t k = l; k < spec.layers.size(); ++k)
    if (layer(k).inputs != 0) return layer(k).inputs;
  for (std::size_t k = l; k-- > 0;)
    if (layer(k).outputs != 0) return layer(k).outputs;
  return 0;
}

/// Returns the elements that a rank holds where the ranks of a layer divide the tokens; else all of them.
std::uint64_t StageGraph::of_tokens(std::uint64_t elements) const {
  return sequence() ? (elements + tensor() - 1) / tensor() : elements;
}

}  // namespace tributary::training
