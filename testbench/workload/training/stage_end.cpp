#include "testbench/workload/training/stage_end.h"

#include <algorithm>

namespace tributary::training {
namespace {

constexpr std::uint32_t update_queue = 1;

}  // namespace

StageEnd::StageEnd(StageGraph& graph) : graph_(graph), gradients_(graph), gates_(graph.spec.layers.size()) {}

void StageEnd::sum_tied(const TaskIds& ready) {
  tied_.clear();
  const ModelParallelSpec& spec = graph_.spec;
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    const int owner = graph_.layer(l).step.shares;
    if (owner < 0 || static_cast<std::size_t>(owner) >= spec.layers.size()) continue;
    const auto o = static_cast<std::size_t>(owner);
    const unsigned p = graph_.place_with(o), q = graph_.place_with(l);
    if (p == q) continue;
    std::vector<GroupId>& pairs = pairs_[l];
    if (pairs.empty()) pairs = add_pairs(l, p, q);
    const TaskIds sums = graph_.gradients("tied gradients", "allreduce", l, gradients_.tied_weights(o), pairs, tie_queue,
                                          {ready[o], ready[l]});
    for (const std::size_t both : {o, l}) append(tied_[both], sums);
  }
}

/// Adds the groups of two ranks that have the same place in two stages.
std::vector<GroupId> StageEnd::add_pairs(std::size_t l, unsigned p, unsigned q) {
  std::vector<GroupId> pairs;
  const unsigned ranks = graph_.spec.replicas * graph_.tensor(), alike = graph_.alike();
  for (unsigned k = 0; k < ranks / alike; ++k)
    pairs.push_back(graph_.graph.add_group("tied" + std::to_string(l) + "_" + std::to_string(k),
                                           {graph_.groups.rank(p, 0, k), graph_.groups.rank(q, 0, k)}));
  for (unsigned k = 1; k < alike; ++k) graph_.graph.groups[pairs.front()].shifts.push_back(static_cast<int>(k));
  return pairs;
}

/// True if each replica has the new values of its part alone, so that an all-gather follows.
bool StageEnd::shards_parameters() const {
  return graph_.spec.sharding == Sharding::optimizer || graph_.spec.sharding == Sharding::gradients;
}

/// Returns the parameters that a rank updates.
std::uint64_t StageEnd::own(std::uint64_t parameters, std::size_t members) const {
  return graph_.spec.update_shards ? (parameters + members - 1) / members : parameters;
}

std::uint32_t StageEnd::queue_of(std::size_t number) const {
  const auto turn = static_cast<std::uint32_t>(number % graph_.spec.queues);
  return turn == 0 ? gradient_queue : tie_queue + turn;
}

TaskIds StageEnd::collective(const char* name, Moved moved, const Sum& sum, const TaskIds& after) {
  const Message& message = *sum.message;
  const auto l = static_cast<std::size_t>(message.last_ready);
  const std::uint64_t elements = message.bytes / graph_.spec.plan.element_bytes;
  TaskIds tasks = moved == Moved::weights
                      ? graph_.collective("parameters", name, l, elements * element_size(graph_.spec.type), sum.plan->groups,
                                          sum.queue, after, Form::data)
                      : graph_.gradients("gradients", name, l, elements, sum.plan->groups, sum.queue, after);
  for (const TaskId id : tasks) {
    Task& task = graph_.graph.tasks[id];
    task.name = name + (" " + message.name);
    task.transfer.buffer = BufferRange{message.first, message.bytes};
    if (graph_.spec.priority) task.priority = message.last_ready;
  }
  return tasks;
}

/// Sums the gradients of weights that all ranks of a layer hold, where each has computed its tokens alone.
TaskIds StageEnd::sum_whole_weights(unsigned place, const TaskIds& after) {
  if (!graph_.sequence()) return {};
  std::uint64_t weights = 0;
  std::size_t last = 0;
  for (std::size_t l = 0; l < graph_.spec.layers.size(); ++l)
    if (graph_.place_with(l) == place && graph_.layer(l).whole > 0) weights += graph_.layer(l).whole, last = l;
  if (weights == 0) return {};
  return graph_.gradients("gradients of tokens", "allreduce", last, weights, graph_.groups.tensor[place], gradient_queue,
                          after);
}

TaskId StageEnd::update(unsigned place, const std::string& name, int l, std::uint64_t parameters, TaskIds after) {
  Task t = graph_.task(name, TaskKind::optimizer, std::move(after));
  t.group = graph_.groups.stage[place];
  t.layer = l;
  t.pass = Pass::update;
  t.queue = update_queue + (graph_.spec.priority && l >= 0 ? static_cast<std::uint32_t>(l) : 0);
  t.work = Work::of_time(graph_.spec.update(parameters));
  return graph_.graph.add(std::move(t));
}

/// Adds the sums of a place, with an update after each if the optimizer works so.
std::vector<StageEnd::Sum> StageEnd::sum_gradients(unsigned place, const TaskIds& ready) {
  std::vector<Sum> sums;
  for (unsigned turn = graph_.spec.virtual_stages; turn-- > 0;)
    for (const StageGradients::GroupPlan& plan : gradients_.plans(turn * graph_.places() + place))
      for (const Message& message : plan.messages) {
        TaskIds after{ready[static_cast<std::size_t>(message.last_ready)]};
        for (const int l : message.layers)
          if (const auto tied = tied_.find(static_cast<std::size_t>(l)); tied != tied_.end()) append(after, tied->second);
        Sum& sum = sums.emplace_back(Sum{&message, &plan, {}, queue_of(sums.size())});
        sum.last = collective(shards_parameters() ? "reduce_scatter" : "allreduce", Moved::gradients, sum, after);
        if (!graph_.spec.update || !graph_.spec.update_each) continue;
        const std::uint64_t parameters = message.bytes / graph_.spec.plan.element_bytes;
        sum.last = {update(place, "update " + message.name, message.last_ready, own(parameters, graph_.members(plan.groups)),
                           sum.last)};
      }
  return sums;
}

/// Returns the parameters of a rank that no message updates.
std::uint64_t StageEnd::left_to_update(unsigned place) const {
  std::uint64_t left = 0;
  const bool each = graph_.spec.update_each;
  for (const StageGradients::Weights& weights : gradients_.weights(place))
    if (!each || weights.members == 1) left += own(weights.count, weights.members);
  return left;
}

TaskIds StageEnd::end(unsigned place, const TaskIds& ready, TaskIds last) {
  const bool priority = graph_.spec.priority;
  TaskIds passes = last;
  for (const auto& [l, sums] : tied_)
    if (graph_.place_with(l) == place) append(last, sums);
  const bool messages = graph_.spec.sharding != Sharding::all;
  std::vector<Sum> sums = messages ? sum_gradients(place, ready) : std::vector<Sum>{};
  for (const Sum& sum : sums) append(last, sum.last);
  TaskIds others = sum_whole_weights(place, last);
  append(last, others);
  const bool one = !graph_.spec.update_each || sums.empty();
  if (const std::uint64_t left = left_to_update(place); graph_.spec.update && (one || left > 0)) {
    others = last = {update(place, "update", -1, left, std::move(last))};
    for (Sum& sum : sums)
      if (one) sum.last = others;
  }
  if (shards_parameters())
    for (Sum& sum : sums) sum.last = collective("allgather", Moved::weights, sum, sum.last), append(last, sum.last);
  if (priority) {
    open_gates(place, sums, others);
    return passes;
  }
  Task mark = graph_.task("end " + std::to_string(graph_.iteration), TaskKind::mark, std::move(last));
  mark.group = graph_.groups.stage[place];
  return {graph_.graph.add(std::move(mark))};
}

void StageEnd::open_gates(unsigned place, const std::vector<Sum>& sums, const TaskIds& others) {
  for (std::size_t l = 0; l < gates_.size(); ++l) {
    if (graph_.place_with(l) != place) continue;
    gates_[l] = others;
    for (const Sum& sum : sums) {
      const std::vector<int>& layers = sum.message->layers;
      const auto holds = [&](int number) { return std::find(layers.begin(), layers.end(), number) != layers.end(); };
      if (holds(static_cast<int>(l)) || holds(graph_.layer(l).step.shares)) append(gates_[l], sum.last);
    }
    std::sort(gates_[l].begin(), gates_[l].end());
    gates_[l].erase(std::unique(gates_[l].begin(), gates_[l].end()), gates_[l].end());
  }
}

}  // namespace tributary::training
