/// Assignment of layers to the stages of a pipeline.
#include <algorithm>
#include <limits>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/model_parallel.h"

namespace tributary::training {
namespace {

Tick work_of_layer(const PartLayer& layer) {
  return layer.step.forward.time + layer.step.input_gradient.time + layer.step.weight_gradient.time;
}

/// Returns the first layers of the blocks with several layers, as in Transformers and residual networks.
std::vector<std::size_t> blocks_of(const std::vector<PartLayer>& layers) {
  std::vector<std::size_t> begins;
  const auto joins = [&](std::size_t l) { return l > 0 && same_block(layers[l - 1].step, layers[l].step); };
  for (std::size_t l = 0; l + 1 < layers.size(); ++l)
    if (!joins(l) && joins(l + 1)) begins.push_back(l);
  return begins;
}

/// True if there are layers before the first block and after the last.
bool has_single_ends(const std::vector<PartLayer>& layers, const std::vector<std::size_t>& begins) {
  if (begins.empty() || begins.front() == 0) return false;
  std::size_t last = begins.back();
  while (last + 1 < layers.size() && same_block(layers[last].step, layers[last + 1].step)) ++last;
  return last + 1 < layers.size();
}

/// If equal numbers of blocks are impossible, the layers before the blocks, and those after them, count as a block each
/// (Megatron-LM: account_for_embedding_in_pipeline_split, account_for_loss_in_pipeline_split).
std::vector<std::size_t> equal_blocks(const std::vector<PartLayer>& layers, unsigned stages) {
  const std::vector<std::size_t> begins = blocks_of(layers);
  const bool equal = begins.size() % stages == 0;
  const bool with_ends = (begins.size() + 2) % stages == 0 && has_single_ends(layers, begins);
  if (begins.empty() || (!equal && !with_ends))
    throw InputError("training.stages=blocks: " + std::to_string(begins.size()) + " blocks of layers on " +
                     std::to_string(stages) +
                     " stages (legal: stages that divide them, or 2 more, or training.stages=balanced)");
  const std::size_t before = equal ? 0 : 1, each = (begins.size() + 2 * before) / stages;
  std::vector<std::size_t> first{0};
  for (unsigned s = 1; s < stages; ++s) first.push_back(begins.at(s * each - before));
  first.push_back(layers.size());
  return first;
}

}  // namespace

std::vector<std::size_t> stages_of(const std::vector<PartLayer>& layers, unsigned stages, StageRule rule) {
  if (stages > layers.size())
    throw InputError("pipeline=" + std::to_string(stages) + " for " + std::to_string(layers.size()) +
                     " layers (legal: at most one stage per layer)");
  if (rule == StageRule::blocks && stages > 1) return equal_blocks(layers, stages);
  std::vector<Tick> before{0};  // work of the layers before each layer
  for (const PartLayer& layer : layers) before.push_back(before.back() + work_of_layer(layer));
  constexpr Tick unreachable = std::numeric_limits<Tick>::max();
  // Smallest longest stage of the first l layers in s stages, and the first layer of the last of these stages.
  std::vector<std::vector<Tick>> longest(stages + 1, std::vector<Tick>(layers.size() + 1, unreachable));
  std::vector<std::vector<std::size_t>> begin(stages + 1, std::vector<std::size_t>(layers.size() + 1, 0));
  longest[0][0] = 0;
  for (unsigned s = 1; s <= stages; ++s)
    for (std::size_t l = s; l <= layers.size(); ++l)
      for (std::size_t k = s - 1; k < l; ++k) {
        const Tick here = std::max(longest[s - 1][k], before[l] - before[k]);
        if (here < longest[s][l]) longest[s][l] = here, begin[s][l] = k;
      }
  std::vector<std::size_t> first(stages + 1, layers.size());
  std::size_t l = layers.size();
  for (unsigned s = stages; s > 0; --s) first[s - 1] = l = begin[s][l];
  return first;
}

}  // namespace tributary::training

namespace tributary {

const std::vector<std::pair<training::StageRule, std::string>>& EnumNames<training::StageRule>::names() {
  using training::StageRule;
  static const std::vector<std::pair<StageRule, std::string>> all{{StageRule::balanced, "balanced"},
                                                                  {StageRule::blocks, "blocks"}};
  return all;
}

const std::vector<std::pair<training::TensorOverlap, std::string>>& EnumNames<training::TensorOverlap>::names() {
  using training::TensorOverlap;
  static const std::vector<std::pair<TensorOverlap, std::string>> all{{TensorOverlap::none, "none"},
                                                                      {TensorOverlap::gemm, "gemm"}};
  return all;
}

}  // namespace tributary
