#include "testbench/workload/training/stage_gradients.h"

#include <algorithm>

namespace tributary::training {

StageGradients::StageGradients(const ModelParallelSpec& spec, const std::vector<std::size_t>& bounds,
                               const ParallelGroups& groups)
    : spec_(spec), plans_(bounds.size() - 1), weights_(bounds.size() - 1, 0) {
  for (std::size_t p = 0; p + 1 < bounds.size(); ++p)
    for (const bool experts : {false, true}) {
      const std::vector<StepLayer> layers = summed_layers(bounds[p], bounds[p + 1], experts);
      for (const StepLayer& step : layers) weights_[p] += step.weights();
      const std::vector<GroupId>& sum_up = experts ? groups.same_experts[p] : groups.replicas[p];
      const bool any = std::any_of(layers.begin(), layers.end(), [](const StepLayer& s) { return !s.tensors.empty(); });
      if (sum_up.empty() || !any) continue;
      GroupPlan& plan = plans_[p].emplace_back(GroupPlan{sum_up, message_plan(layers, spec.plan)});
      for (Message& message : plan.messages) {
        message.last_ready += static_cast<int>(bounds[p]);
        for (int& l : message.layers) l += static_cast<int>(bounds[p]);
      }
    }
}

/// Returns the layers of a stage; layers summed by other groups are returned without weights. Weights owned by a layer of
/// another stage count as the layer's own here.
std::vector<StepLayer> StageGradients::summed_layers(std::size_t first, std::size_t end, bool experts) const {
  std::vector<StepLayer> part;
  for (std::size_t l = first; l < end; ++l) {
    StepLayer& step = part.emplace_back(spec_.layers[l].step);
    if (spread(l) != experts) step.tensors.clear(), step.shares = -1;
    if (step.shares < 0) continue;
    const auto owner = static_cast<std::size_t>(step.shares);
    const bool here = owner >= first && owner < end;
    step.shares = here ? static_cast<int>(owner - first) : -1;
    if (!here && owner < spec_.layers.size()) step.tensors.insert(step.tensors.begin(), tied_weights(owner));
  }
  return part;
}

}  // namespace tributary::training
