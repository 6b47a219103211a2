#include "testbench/workload/training/parameter_gathers.h"

#include <algorithm>

namespace tributary::training {

ParameterGathers::ParameterGathers(StageGraph& graph, std::vector<std::size_t> order, TaskIds begin)
    : graph_(graph), order_(std::move(order)), begin_(std::move(begin)), gathered_(order_.size()), used_(order_.size()) {
  if (graph.spec.sharding != Sharding::all) next_ = order_.size();
}

std::size_t ParameterGathers::position(std::size_t l) const {
  return static_cast<std::size_t>(std::find(order_.begin(), order_.end(), l) - order_.begin());
}

const TaskIds& ParameterGathers::before(std::size_t l) {
  if (graph_.spec.sharding != Sharding::all) return none_;
  const std::size_t at = position(l), ahead = graph_.spec.prefetch;
  for (; next_ < order_.size() && next_ <= at + ahead; ++next_) {
    const std::size_t layer = order_[next_];
    const std::uint64_t bytes = graph_.layer(layer).step.weights() * element_size(graph_.spec.type);
    if (bytes == 0) continue;
    gathered_[next_] = graph_.collective("allgather", "allgather", layer, bytes, graph_.sum_groups(layer), gradient_queue,
                                         next_ <= ahead ? begin_ : used_[next_ - ahead - 1], Form::data);
  }
  return gathered_[at];
}

void ParameterGathers::used(std::size_t l, const TaskIds& tasks) {
  if (graph_.spec.sharding == Sharding::all) used_[position(l)] = tasks;
}

}  // namespace tributary::training
