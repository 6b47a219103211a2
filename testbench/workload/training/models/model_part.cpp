#include "testbench/workload/training/models/model_part.h"

#include <algorithm>
#include <string>

#include "modules/base/host/wide.h"
#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/counts.h"
#include "testbench/workload/training/compute/gemm.h"

namespace tributary::training {
namespace {

std::uint64_t weights_of(const ConvolutionShape& s) { return s.filter_height * s.filter_width * s.channels * s.filters; }

/// Returns part / whole of a count, rounded up.
std::uint64_t share_of(std::uint64_t count, std::uint64_t part, std::uint64_t whole) {
  return static_cast<std::uint64_t>((Wide{count} * part + whole - 1) / whole);
}

/// Returns the elements that a rank reads and writes. The side of the matrix that is not cut is read or written whole;
/// everything else (the other side, results within the layer) is divided. A count below that of both sides covers them in
/// proportion.
std::uint64_t divided_activations(const ModelLayer& whole, std::uint64_t part, std::uint64_t side) {
  const Wide experts = std::max<std::uint64_t>(1, whole.chosen);
  const Wide inputs = experts * input_elements(whole), outputs = experts * output_elements(whole);
  const Wide uncut = whole.split == Split::outputs ? inputs : outputs, sides = inputs + outputs;
  const Wide all = whole.activations, kept = all < sides ? all * uncut / sides : uncut;
  return static_cast<std::uint64_t>(kept) + share_of(static_cast<std::uint64_t>(all - kept), part, side);
}

/// Divides the matrix with its work, and with the outputs also tensors with one element per output; the rest stays whole on
/// each rank. Each rank writes all outputs of a table of which it has some rows.
void cut(ModelLayer& layer, unsigned parts) {
  if (!layer.shape) {
    const std::uint64_t rows = layer.tensors.front();
    layer.tensors.front() = ceil_div(rows, parts);
    layer.multiplications = share_of(layer.multiplications, layer.tensors.front(), rows);
    return;
  }
  const ModelLayer whole = layer;
  std::uint64_t& side = layer.split == Split::outputs ? layer.shape->filters : layer.shape->channels;
  const std::uint64_t whole_side = side;
  side = ceil_div(whole_side, parts);
  layer.multiplications = share_of(layer.multiplications, side, whole_side);
  layer.activations = divided_activations(whole, side, whole_side);
  if (layer.attention) {
    layer.attention->heads = ceil_div(layer.attention->heads, parts);
    layer.attention->key_heads = ceil_div(layer.attention->key_heads, parts);
  }
  for (std::uint64_t& tensor : layer.tensors)
    if (tensor == weights_of(*whole.shape))
      tensor = weights_of(*layer.shape);
    else if (layer.split == Split::outputs && tensor == whole.shape->filters)
      tensor = layer.shape->filters;
}

void keep_experts(const Model& model, ModelLayer& layer, unsigned ranks) {
  if (layer.experts % ranks != 0)
    throw InputError("model " + one_line(model.name) + ", layer " + one_line(layer.name) + ": " +
                     std::to_string(layer.experts) + " experts cannot be divided evenly over " + std::to_string(ranks) +
                     " ranks (legal: expert=N, where N divides them)");
  layer.tensors.resize(layer.tensors.size() / ranks);
}

/// Refuses heads of attention that tensor parallel ranks cannot divide evenly, or share evenly.
void check_heads(const Model& model, const ModelLayer& layer, unsigned parts) {
  if (!layer.attention) return;
  const Attention& a = *layer.attention;
  const std::string begin = "model " + one_line(model.name) + ", layer " + one_line(layer.name) + ": ";
  if (a.heads % parts != 0)
    throw InputError(begin + std::to_string(a.heads) + " heads cannot be divided evenly over tensor=" +
                     std::to_string(parts) + " (legal: tensor=N, where N divides the heads)");
  if (a.key_heads % parts != 0 && parts % a.key_heads != 0)
    throw InputError(begin + std::to_string(a.key_heads) + " key_heads cannot be divided evenly over tensor=" +
                     std::to_string(parts) + " (legal: tensor=N, where N divides them or is a multiple of them)");
}

}  // namespace

Model part_of(const Model& model, const ParallelDegrees& degrees) {
  Model part = model;
  bool split = false, experts = false;
  for (ModelLayer& layer : part.layers) {
    if (layer.experts > 0) experts = true, keep_experts(model, layer, degrees.expert);
    if (layer.split == Split::none) continue;
    split = true;
    if (degrees.tensor == 1) continue;
    check_heads(model, layer, degrees.tensor);
    cut(layer, degrees.tensor);
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
  return layer.shape ? layer.shape->images * layer.shape->input_height * layer.shape->input_width * layer.shape->channels
                     : 0;
}

std::uint64_t output_elements(const ModelLayer& layer) {
  if (!layer.shape) return 0;
  const ConvolutionShape& s = *layer.shape;
  return multiplications(s) / (s.filter_height * s.filter_width * s.channels);
}

}  // namespace tributary::training
