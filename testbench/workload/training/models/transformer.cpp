#include "testbench/workload/training/models/transformer.h"

#include <string>
#include <utility>

#include "testbench/workload/training/compute/counts.h"

namespace tributary::training {
namespace {

using Operations = std::vector<Elementwise>;

class Layers {
 public:
  explicit Layers(const TransformerShape& shape) : shape_(shape) {}

  void table(const char* name, std::uint64_t rows, Split split) {
    ModelLayer& layer = all.emplace_back();
    layer.name = name;
    layer.tensors = {times(rows, shape_.hidden)};
    layer.split = split;
  }

  /// Adds a matrix after a normalisation, whose outputs are split.
  void outputs(std::string name, std::uint64_t count, Operations after) {
    ModelLayer& layer = matrix(std::move(name), shape_.hidden, count, Split::outputs, std::move(after));
    layer.before = {Elementwise::norm};
    layer.tensors.insert(layer.tensors.begin(), shape_.norm_vectors, shape_.hidden);
    if (shape_.biases) layer.tensors.push_back(count);
  }

  /// Adds a matrix whose inputs are split, and the sum with the residual.
  ModelLayer& sum(std::string name, std::uint64_t count) {
    ModelLayer& layer = matrix(std::move(name), count, shape_.hidden, Split::inputs, {Elementwise::add});
    if (shape_.biases) layer.tensors.push_back(shape_.hidden);
    return layer;
  }

  void block(const std::string& name) {
    const TransformerShape& s = shape_;
    const bool rotates = s.positions == 0;
    outputs(name + ".qkv", times(s.heads + 2 * s.key_heads, s.width),
            rotates ? Operations{Elementwise::rotary} : Operations{});
    sum(name + ".proj", times(s.heads, s.width)).attention = Attention{s.heads, s.width, s.key_heads, false};
    outputs(name + ".up", s.gated ? times(2, s.ffn) : s.ffn, {s.gated ? Elementwise::swiglu : s.activation});
    sum(name + ".down", s.ffn);
  }

  void head() {
    ModelLayer& layer = matrix("head", shape_.hidden, shape_.vocabulary, Split::outputs, {Elementwise::softmax});
    layer.before = {Elementwise::norm};
    if (shape_.tied) layer.tensors.clear(), layer.shares = "embedding";
    layer.tensors.insert(layer.tensors.begin(), shape_.norm_vectors, shape_.hidden);
  }

  std::vector<ModelLayer> all;

 private:
  ModelLayer& matrix(std::string name, std::uint64_t inputs, std::uint64_t count, Split split, Operations after) {
    ModelLayer& layer = all.emplace_back();
    layer.name = std::move(name);
    layer.shape.emplace();
    layer.shape->channels = inputs, layer.shape->filters = count;
    layer.multiplications = times(inputs, count);
    layer.tensors = {layer.multiplications};
    layer.split = split;
    layer.after = std::move(after);
    return layer;
  }

  const TransformerShape& shape_;
};

}  // namespace

std::vector<ModelLayer> transformer_layers(const TransformerShape& shape) {
  Layers layers(shape);
  layers.table("embedding", shape.vocabulary, Split::inputs);
  if (shape.positions > 0) layers.table("positions", shape.positions, Split::none);
  for (std::uint64_t k = 0; k < shape.layers; ++k) layers.block("layers." + std::to_string(k));
  layers.head();
  return std::move(layers.all);
}

}  // namespace tributary::training
