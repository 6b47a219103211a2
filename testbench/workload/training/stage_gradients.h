#pragma once
/// Gradients of a pipeline's stages: which of them the groups of a stage sum together.

#include <vector>

#include "testbench/workload/training/model_parallel.h"
#include "testbench/workload/training/parallel_groups.h"

namespace tributary::training {

class StageGradients {
 public:
  /// Messages that one kind of group sums. Their layers are those of the whole model.
  struct GroupPlan {
    std::vector<GroupId> groups;
    std::vector<Message> messages;
  };

  /// `bounds`: layer of each stage, and one past the last. Throws what message_plan throws.
  StageGradients(const ModelParallelSpec& spec, const std::vector<std::size_t>& bounds, const ParallelGroups& groups);

  /// Of replicas, and of those with the same experts.
  const std::vector<GroupPlan>& plans(unsigned stage) const { return plans_[stage]; }
  /// Of a rank.
  std::uint64_t weights(unsigned stage) const { return weights_[stage]; }
  /// A layer whose experts are on several ranks.
  bool spread(std::size_t layer) const { return spec_.degrees.expert > 1 && spec_.layers[layer].chosen > 0; }
  /// That other layers use, too.
  std::uint64_t tied_weights(std::size_t owner) const { return spec_.layers[owner].step.tensors.at(0); }

 private:
  std::vector<StepLayer> summed_layers(std::size_t first, std::size_t end, bool experts) const;

  const ModelParallelSpec& spec_;
  std::vector<std::vector<GroupPlan>> plans_;
  std::vector<std::uint64_t> weights_;
};

}  // namespace tributary::training
