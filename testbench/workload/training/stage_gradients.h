#pragma once
/// Gradients of a pipeline's stages, by the groups that sum them.

#include <vector>

#include "testbench/workload/training/stage_graph.h"

namespace tributary::training {

class StageGradients {
 public:
  /// Messages summed by one kind of group. Layer numbers refer to the whole model.
  struct GroupPlan {
    std::vector<GroupId> groups;
    std::vector<Message> messages;
  };
  /// Weights of a rank that one kind of group sums.
  struct Weights {
    std::uint64_t count = 0;
    std::size_t members = 1;  ///< ranks of a group
  };

  /// Throws as message_plan() does.
  explicit StageGradients(const StageGraph& graph);

  /// Returns the plans of a stage: of replicas, and of replicas with the same experts.
  const std::vector<GroupPlan>& plans(unsigned stage) const { return plans_[stage]; }
  /// Returns the weights of a rank of this place.
  const std::vector<Weights>& weights(unsigned place) const { return weights_[place]; }
  /// Returns the number of weights of a layer that other layers share.
  std::uint64_t tied_weights(std::size_t owner) const { return graph_.layer(owner).step.tensors.at(0); }

 private:
  std::vector<StepLayer> summed_layers(unsigned stage, bool experts) const;

  const StageGraph& graph_;
  std::vector<std::vector<GroupPlan>> plans_;
  std::vector<std::vector<Weights>> weights_;
};

}  // namespace tributary::training
