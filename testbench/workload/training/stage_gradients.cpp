#include "testbench/workload/training/stage_gradients.h"

#include <algorithm>

namespace tributary::training {

StageGradients::StageGradients(const StageGraph& graph) : graph_(graph), plans_(graph.stages()), weights_(graph.places()) {
  for (unsigned place = 0; place < graph.places(); ++place)
    for (const bool experts : {false, true}) {
      const std::vector<GroupId>& groups = experts ? graph.groups.same_experts[place] : graph.groups.replicas[place];
      Weights& held = weights_[place].emplace_back(Weights{0, graph.members(groups)});
      std::uint64_t offset = 0;  // in the buffer of the groups, which holds the stages in order of backward
      for (unsigned turn = graph.spec.virtual_stages; turn-- > 0;) {
        const unsigned stage = turn * graph.places() + place;
        const std::vector<StepLayer> layers = summed_layers(stage, experts);
        for (const StepLayer& step : layers) held.count += step.weights();
        const bool any = std::any_of(layers.begin(), layers.end(), [](const StepLayer& s) { return !s.tensors.empty(); });
        if (groups.empty() || !any) continue;
        GroupPlan& plan = plans_[stage].emplace_back(GroupPlan{groups, message_plan(layers, graph.spec.plan)});
        const int before = static_cast<int>(graph.first[stage]);
        const std::uint64_t begin = offset;
        for (Message& message : plan.messages) {
          message.last_ready += before;
          for (int& l : message.layers) l += before;
          message.first += begin;
          offset += message.bytes;
        }
      }
    }
}

/// Returns the layers of a stage; layers summed by other groups are returned without weights. Weights owned by a layer of
/// another place count as the layer's own here.
std::vector<StepLayer> StageGradients::summed_layers(unsigned stage, bool experts) const {
  const std::size_t first = graph_.first[stage], end = graph_.first[stage + 1];
  std::vector<StepLayer> part;
  for (std::size_t l = first; l < end; ++l) {
    StepLayer& step = part.emplace_back(graph_.layer(l).step);
    if (graph_.spread(l) != experts) step.tensors.clear(), step.shares = -1;
    if (step.shares < 0) continue;
    const auto owner = static_cast<std::size_t>(step.shares);
    const bool here = owner >= first && owner < end;
    step.shares = here ? static_cast<int>(owner - first) : -1;
    if (here || owner >= graph_.spec.layers.size() || graph_.place_with(owner) == graph_.place_of(stage)) continue;
    step.tensors.insert(step.tensors.begin(), tied_weights(owner));
  }
  return part;
}

}  // namespace tributary::training
