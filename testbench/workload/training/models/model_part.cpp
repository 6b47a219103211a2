#include "testbench/workload/training/models/model_part.h"

#include <algorithm>
#include <string>

#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/counts.h"
#include "testbench/workload/training/compute/gemm.h"

namespace tributary::training {
namespace {

std::uint64_t weights_of(const ConvolutionShape& s) { return s.filter_height * s.filter_width * s.channels * s.filters; }

/// Divides the matrix, and with the outputs also tensors with one element per output; the rest stays whole on each rank.
void cut(ModelLayer& layer, unsigned parts) {
  if (!layer.shape) {
    layer.tensors.front() = ceil_div(layer.tensors.front(), parts);
    return;
  }
  const ConvolutionShape whole = *layer.shape;
  std::uint64_t& side = layer.split == Split::outputs ? layer.shape->filters : layer.shape->channels;
  side = ceil_div(side, parts);
  layer.multiplications = multiplications(*layer.shape) * std::max<std::uint64_t>(1, layer.chosen);
  for (std::uint64_t& tensor : layer.tensors)
    if (tensor == weights_of(whole))
      tensor = weights_of(*layer.shape);
    else if (layer.split == Split::outputs && tensor == whole.filters)
      tensor = layer.shape->filters;
}

void keep_experts(const Model& model, ModelLayer& layer, unsigned ranks) {
  if (layer.experts % ranks != 0)
    throw InputError("model " + one_line(model.name) + ", layer " + one_line(layer.name) + ": " +
                     std::to_string(layer.experts) + " experts cannot be divided evenly over " + std::to_string(ranks) +
                     " ranks (legal: expert=N, where N divides them)");
  layer.tensors.resize(layer.tensors.size() / ranks);
}

}  // namespace

Model part_of(const Model& model, const ParallelDegrees& degrees) {
  Model part = model;
  bool split = false, experts = false;
  for (ModelLayer& layer : part.layers) {
    if (layer.experts > 0) experts = true, keep_experts(model, layer, degrees.expert);
    if (layer.split == Split::none) continue;
    split = true;
    if (degrees.tensor > 1) cut(layer, degrees.tensor);
  }
  const std::string name = "model " + one_line(model.name) + ": ";
  if (degrees.tensor > 1 && !split)
    throw InputError(name + "tensor=" + std::to_string(degrees.tensor) +
                     " needs layers with 'split' (legal: layers with 'split', or tensor=1)");
  if (degrees.expert > 1 && !experts)
    throw InputError(name + "expert=" + std::to_string(degrees.expert) +
                     " needs layers with experts (legal: layers with 'experts', or expert=1)");
  return part;
}

std::uint64_t input_elements(const ModelLayer& layer) {
  return layer.shape ? layer.shape->input_height * layer.shape->input_width * layer.shape->channels : 0;
}

std::uint64_t output_elements(const ModelLayer& layer) {
  if (!layer.shape) return 0;
  const ConvolutionShape& s = *layer.shape;
  return multiplications(s) / (s.filter_height * s.filter_width * s.channels);
}

}  // namespace tributary::training
