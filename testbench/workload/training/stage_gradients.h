#pragma once
/// Gradients of a pipeline's stages, by the groups that sum them.

#include <vector>

#include "testbench/workload/training/model_parallel.h"
#include "testbench/workload/training/parallel_groups.h"

namespace tributary::training {

class StageGradients {
 public:
  /// Messages summed by one kind of group. Layer numbers refer to the whole model.
  struct GroupPlan {
    std::vector<GroupId> groups;
    std::vector<Message> messages;
  };

  /// `bounds`: first layer of each stage, and one past the last layer. Throws as message_plan() does.
  StageGradients(const ModelParallelSpec& spec, const std::vector<std::size_t>& bounds, const ParallelGroups& groups);

  /// Returns the plans of a stage: of replicas, and of replicas with the same experts.
  const std::vector<GroupPlan>& plans(unsigned stage) const { return plans_[stage]; }
  /// Returns the weights of a rank of this stage.
  std::uint64_t weights(unsigned stage) const { return weights_[stage]; }
  /// True if the experts of the layer are on several ranks.
  bool spread(std::size_t layer) const { return spec_.degrees.expert > 1 && spec_.layers[layer].chosen > 0; }
  /// Returns the number of weights of a layer that other layers share.
  std::uint64_t tied_weights(std::size_t owner) const { return spec_.layers[owner].step.tensors.at(0); }

 private:
  std::vector<StepLayer> summed_layers(std::size_t first, std::size_t end, bool experts) const;

  const ModelParallelSpec& spec_;
  std::vector<std::vector<GroupPlan>> plans_;
  std::vector<std::uint64_t> weights_;
};

}  // namespace tributary::training
