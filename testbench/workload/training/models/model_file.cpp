#include "testbench/workload/training/models/model_file.h"

#include <filesystem>
#include <sstream>

#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/layer_table.h"
#include "testbench/workload/training/compute/gemm.h"
#include "testbench/workload/training/models/transformer_file.h"
#include "testbench/workload/training/models/yaml_values.h"

namespace tributary::training {
namespace {

constexpr std::uint64_t one = 1, largest = one << 40, largest_sum = one << 50;
constexpr std::uint64_t largest_sequence = 1'000'000'000, most_heads = 65536;
constexpr std::uint64_t most_tensors = 1'000'000;

class Reader {
 public:
  explicit Reader(const std::string& where) : values_(where) {}

  Model read(const std::string& text) {
    const YamlRef top = values_.document(text);
    values_.check_map(*top, "a model", {"name", "about", "sources", "unit", "sequence", "layers", "transformer"});
    Model model;
    model.name = values_.text(values_.at(*top, "a model", "name"), "name");
    if (const YamlNode* about = YamlValues::find(*top, "about")) model.about = values_.text(*about, "about");
    if (const YamlNode* sources = YamlValues::find(*top, "sources")) model.sources = values_.texts(*sources, "sources");
    if (const YamlNode* unit = YamlValues::find(*top, "unit")) model.unit = unit_of(*unit);
    if (const YamlNode* sequence = YamlValues::find(*top, "sequence"))
      model.sequence = values_.number(*sequence, "sequence", 1, largest_sequence);
    if (const YamlNode* transformer = YamlValues::find(*top, "transformer")) return of_shape(*top, *transformer, model);
    const YamlNode& layers = values_.at(*top, "a model", "layers");
    if (!layers.is_sequence() || layers.items.empty())
      values_.fail(layers, "layers: a list of layers is expected (legal: at least one)");
    std::uint64_t weights = 0, multiplications = 0, tensors = 0;
    for (const YamlRef& item : layers.items) {
      model.layers.push_back(layer(*item, model));
      weights += model.layers.back().weights();
      multiplications += model.layers.back().multiplications;
      tensors += model.layers.back().tensors.size();
      if (tensors > most_tensors) values_.fail(*item, "more than 10^6 tensors in a model (legal: up to 10^6)");
      if (weights > largest_sum || multiplications > largest_sum)
        values_.fail(*item, "more than 2^50 weights or multiplications in a model (legal: up to 2^50)");
    }
    if (weights == 0) values_.fail(layers, "no layer has weights (legal: at least one)");
    return model;
  }

 private:
  /// Returns the model with the layers of a Transformer, whose batch counts tokens.
  Model of_shape(const YamlNode& top, const YamlNode& transformer, Model model) const {
    if (const YamlNode* layers = YamlValues::find(top, "layers"))
      values_.fail(*layers, "a model with 'layers' and 'transformer' (legal: one of them)");
    if (const YamlNode* unit = YamlValues::find(top, "unit"); unit != nullptr && model.unit != BatchUnit::token)
      values_.fail(*unit, "unit of a transformer is 'sample' (legal: token)");
    model.unit = BatchUnit::token;
    model.layers = transformer_layers(read_transformer(values_, transformer));
    if (model.weights() > largest_sum || model.multiplications() > largest_sum)
      values_.fail(transformer, "more than 2^50 weights or multiplications in a model (legal: up to 2^50)");
    return model;
  }

  BatchUnit unit_of(const YamlNode& node) const {
    const std::string text = values_.text(node, "unit");
    if (text == "sample") return BatchUnit::sample;
    if (text != "token") values_.fail(node, "unit is '" + one_line(text) + "' (legal: sample or token)");
    return BatchUnit::token;
  }

  ModelLayer layer(const YamlNode& node, const Model& model) const {
    values_.check_map(node, "a layer",
                      {"name", "conv", "matrix", "macs", "tensors", "shares", "activations", "split", "experts", "before",
                       "after", "attention"});
    ModelLayer layer;
    layer.name = values_.text(values_.at(node, "a layer", "name"), "name");
    read_shape(node, layer);
    if (const YamlNode* macs = YamlValues::find(node, "macs"))
      layer.multiplications = values_.number(*macs, "macs", 0, largest);
    if (const YamlNode* shares = YamlValues::find(node, "shares")) layer.shares = owner(*shares, layer, model);
    if (const YamlNode* tensors = YamlValues::find(node, "tensors"))
      layer.tensors = values_.numbers(*tensors, "tensors", 1, largest);
    else if (layer.shares.empty() && layer.shape)
      layer.tensors = {weights_of(*layer.shape)};
    if (const YamlNode* activations = YamlValues::find(node, "activations"))
      layer.activations = values_.number(*activations, "activations", 0, largest);
    if (const YamlNode* split = YamlValues::find(node, "split")) read_split(*split, layer);
    if (const YamlNode* experts = YamlValues::find(node, "experts")) read_experts(*experts, layer);
    layer.before = operations(node, "before", layer);
    layer.after = operations(node, "after", layer);
    if (const YamlNode* attention = YamlValues::find(node, "attention")) layer.attention = attention_of(*attention, layer);
    return layer;
  }

  void read_split(const YamlNode& node, ModelLayer& layer) const {
    const std::string text = values_.text(node, "split");
    if (text != "outputs" && text != "inputs")
      values_.fail(node, "split is '" + one_line(text) + "' (legal: outputs or inputs)");
    layer.split = text == "outputs" ? Split::outputs : Split::inputs;
    const bool sums = layer.split == Split::inputs && !layer.tensors.empty();  // a table with one row per input
    if (!layer.shape && !sums) values_.fail(node, "split of a layer without conv, matrix or tensors (legal: with one)");
  }

  void read_experts(const YamlNode& node, ModelLayer& layer) const {
    constexpr std::uint64_t most = 4096;
    const auto n = values_.numbers(node, "experts", 1, most);
    if (n.size() != 2 || n[1] > n[0])
      values_.fail(node, "experts must be two numbers (legal: [experts, experts per token])");
    if (!layer.shape) values_.fail(node, "experts of a layer without conv or matrix (legal: with one)");
    if (n[0] * layer.tensors.size() > most_tensors)
      values_.fail(node, "more than 10^6 tensors in a layer (legal: up to 10^6)");
    layer.experts = n[0], layer.chosen = n[1];
    layer.multiplications *= n[1];
    const std::vector<std::uint64_t> one_expert = layer.tensors;
    for (std::uint64_t k = 1; k < n[0]; ++k) layer.tensors.insert(layer.tensors.end(), one_expert.begin(), one_expert.end());
  }

  std::vector<Elementwise> operations(const YamlNode& node, const char* key, const ModelLayer& layer) const {
    const YamlNode* list = YamlValues::find(node, key);
    if (list == nullptr) return {};
    if (!layer.shape) values_.fail(*list, std::string(key) + " of a layer without conv or matrix (legal: with one)");
    std::vector<Elementwise> all;
    for (const std::string& name : values_.texts(*list, key)) {
      const std::optional<Elementwise> operation = elementwise_of(name);
      if (!operation)
        values_.fail(*list, std::string(key) + " has '" + one_line(name) + "' (legal: " + elementwise_names() + ")");
      all.push_back(*operation);
    }
    return all;
  }

  Attention attention_of(const YamlNode& node, const ModelLayer& layer) const {
    values_.check_map(node, "attention", {"heads", "width", "key_heads", "dropout"});
    Attention a;
    a.heads = values_.number(values_.at(node, "attention", "heads"), "heads", 1, most_heads);
    a.width = values_.number(values_.at(node, "attention", "width"), "width", 1, most_heads);
    const YamlNode* keys = YamlValues::find(node, "key_heads");
    a.key_heads = keys != nullptr ? values_.key_heads(*keys, a.heads) : a.heads;
    if (const YamlNode* dropout = YamlValues::find(node, "dropout")) {
      const std::string text = values_.text(*dropout, "dropout");
      if (text != "true" && text != "false")
        values_.fail(*dropout, "dropout is '" + one_line(text) + "' (legal: true or false)");
      a.dropout = text == "true";
    }
    if (!layer.shape || layer.shape->channels != a.heads * a.width)
      values_.fail(node,
                   "attention of " + std::to_string(a.heads * a.width) +
                       " elements before a layer with other inputs (legal: heads x width as the inputs of the matrix)");
    return a;
  }

  void read_shape(const YamlNode& node, ModelLayer& layer) const {
    const YamlNode* conv = YamlValues::find(node, "conv");
    const YamlNode* matrix = YamlValues::find(node, "matrix");
    if (conv != nullptr && matrix != nullptr) values_.fail(*matrix, "a layer with 'conv' and 'matrix' (legal: one of them)");
    const YamlNode* given = conv != nullptr ? conv : matrix;
    if (given == nullptr) return;
    layer.shape = conv != nullptr ? convolution(*conv) : product(*matrix);
    try {
      layer.multiplications = training::multiplications(*layer.shape);
    } catch (const InputError& error) {
      values_.fail(*given, error.what());
    }
  }

  workload::ConvolutionShape convolution(const YamlNode& node) const {
    const auto n = values_.numbers(node, "conv", 0, largest);
    if (n.size() != 7 && n.size() != 8)
      values_.fail(node, "conv has " + std::to_string(n.size()) +
                             " numbers (legal: input height and width, filter height and width, channels, filters, stride, "
                             "and padding if not 0)");
    for (std::size_t i = 0; i < 7; ++i)
      if (n[i] == 0) values_.fail(node, "conv has a 0 (legal: only as padding)");
    return {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n.size() == 8 ? n[7] : 0};
  }

  workload::ConvolutionShape product(const YamlNode& node) const {
    const auto n = values_.numbers(node, "matrix", 1, largest);
    if (n.size() != 2) values_.fail(node, "matrix has " + std::to_string(n.size()) + " numbers (legal: inputs, outputs)");
    workload::ConvolutionShape shape;
    shape.channels = n[0];
    shape.filters = n[1];
    return shape;
  }

  /// Returns the layer whose first tensor is shared: an earlier layer with tensors.
  std::string owner(const YamlNode& node, const ModelLayer& layer, const Model& model) const {
    const std::string name = values_.text(node, "shares");
    for (const ModelLayer& l : model.layers)
      if (l.name == name && !l.tensors.empty()) return name;
    values_.fail(node, "layer " + one_line(layer.name) + " shares '" + one_line(name) +
                           "', which is not an earlier layer with tensors (legal: the name of one)");
  }

  static std::uint64_t weights_of(
      const workload::ConvolutionShape& s) {  // cannot overflow, since its multiplications do not
    return s.filter_height * s.filter_width * s.channels * s.filters;
  }

  YamlValues values_;
};

}  // namespace

Model parse_model(const std::string& text, const std::string& where) { return Reader(where).read(text); }

Model parse_layer_table_model(const std::string& text, const std::string& where) {
  std::istringstream input(text);
  Model model;
  model.name = std::filesystem::path(where).stem().string();
  std::uint64_t weights = 0, multiplications = 0;
  for (workload::Layer& row : workload::read_layer_table(input, where, &model.warnings)) {
    ModelLayer layer{row.name, {row.weights}, "", row.shape, 0, 0};
    try {
      layer.multiplications = training::multiplications(row.shape);
    } catch (const InputError& error) {
      throw InputError(where + ": layer " + one_line(row.name) + ": " + error.what());
    }
    if (row.weights > largest || layer.multiplications > largest_sum || (weights += row.weights) > largest_sum ||
        (multiplications += layer.multiplications) > largest_sum)
      throw InputError(where + ": layer " + one_line(row.name) +
                       ": more than 2^40 weights in a layer, or 2^50 weights or multiplications in a model (legal: fewer)");
    model.layers.push_back(std::move(layer));
  }
  return model;
}

Model read_model(const std::string& path) {
  const std::string end = std::filesystem::path(path).extension().string();
  if (end == ".csv") return parse_layer_table_model(read_text(path), path);
  if (end == ".yaml" || end == ".yml") return parse_model(read_text(path), path);
  throw InputError(path + ": unknown kind of model file (legal: .yaml, .yml or .csv)");
}

}  // namespace tributary::training
