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

}  // namespace

std::vector<std::size_t> stages_of(const std::vector<PartLayer>& layers, unsigned stages) {
  if (stages > layers.size())
    throw InputError("pipeline=" + std::to_string(stages) + " for " + std::to_string(layers.size()) +
                     " layers (legal: at most one stage per layer)");
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
