#include "testbench/workload/training/models/transformer_file.h"

#include <optional>
#include <string>

#include "modules/base/text_format.h"

namespace tributary::training {
namespace {

const char* const what = "transformer";
constexpr std::uint64_t most_layers = 10'000, most_elements = 1 << 24, most_width = 65536;

class TransformerReader {
 public:
  TransformerReader(const YamlValues& values, const YamlNode& node) : values_(values), node_(node) {}

  TransformerShape read() const {
    values_.check_map(node_, what,
                      {"layers", "hidden", "ffn", "heads", "key_heads", "width", "vocab", "positions", "activation", "gated",
                       "tied", "biases", "norm"});
    TransformerShape shape;
    shape.layers = number("layers", most_layers);
    shape.hidden = number("hidden", most_elements);
    shape.ffn = number("ffn", most_elements);
    shape.heads = number("heads", most_width);
    const YamlNode* keys = find("key_heads");
    shape.key_heads = keys != nullptr ? values_.key_heads(*keys, shape.heads) : shape.heads;
    shape.width = optional("width", 1, most_width).value_or(width_of(shape));
    shape.vocabulary = number("vocab", most_elements);
    shape.positions = optional("positions", 0, most_elements).value_or(0);
    shape.gated = flag("gated"), shape.tied = flag("tied"), shape.biases = flag("biases");
    shape.norm_vectors = norm_vectors();
    if (const YamlNode* activation = find("activation")) shape.activation = activation_of(*activation, shape.gated);
    return shape;
  }

 private:
  const YamlNode* find(const char* key) const { return YamlValues::find(node_, key); }
  std::uint64_t number(const char* key, std::uint64_t most) const {
    return values_.number(values_.at(node_, what, key), key, 1, most);
  }
  std::optional<std::uint64_t> optional(const char* key, std::uint64_t least, std::uint64_t most) const {
    const YamlNode* found = find(key);
    if (found == nullptr) return std::nullopt;
    return values_.number(*found, key, least, most);
  }

  std::uint64_t width_of(const TransformerShape& shape) const {
    if (find("width") == nullptr && shape.hidden % shape.heads != 0)
      values_.fail(node_, "hidden " + std::to_string(shape.hidden) + " is no multiple of " + std::to_string(shape.heads) +
                              " heads (legal: a multiple, or width)");
    return shape.hidden / shape.heads;
  }

  bool flag(const char* key) const {
    const YamlNode* found = find(key);
    if (found == nullptr) return false;
    const std::string text = values_.text(*found, key);
    if (text != "true" && text != "false")
      values_.fail(*found, std::string(key) + " is '" + one_line(text) + "' (legal: true or false)");
    return text == "true";
  }

  unsigned norm_vectors() const {
    const YamlNode* found = find("norm");
    const std::string text = found != nullptr ? values_.text(*found, "norm") : "rms";
    if (text != "rms" && text != "layer") values_.fail(*found, "norm is '" + one_line(text) + "' (legal: rms or layer)");
    return text == "rms" ? 1 : 2;
  }

  Elementwise activation_of(const YamlNode& node, bool gated) const {
    const std::string text = values_.text(node, "activation");
    if (gated) values_.fail(node, "activation of a gated MLP, which is swiglu (legal: without gated)");
    for (const Elementwise legal : {Elementwise::gelu, Elementwise::relu, Elementwise::relu2, Elementwise::silu})
      if (text == cost_of(legal).name) return legal;
    values_.fail(node, "activation is '" + one_line(text) + "' (legal: gelu, relu, relu2 or silu)");
  }

  const YamlValues& values_;
  const YamlNode& node_;
};

}  // namespace

TransformerShape read_transformer(const YamlValues& values, const YamlNode& node) {
  return TransformerReader(values, node).read();
}

}  // namespace tributary::training
