#include "modules/rtl/core/rtl_block.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "modules/base/element_limits.h"

namespace tributary {
namespace {

template <class Enum>
std::vector<Enum> values_of(const std::string& text) {
  std::vector<Enum> values;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto& names = EnumNames<Enum>::names();
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.second == word; });
    if (found == names.end()) throw std::invalid_argument("a block in RTL: '" + word + "' is no element type or operation");
    values.push_back(found->first);
  }
  return values;
}

template <class Enum>
std::string name_of(Enum value) {
  for (const auto& [known, name] : EnumNames<Enum>::names())
    if (known == value) return name;
  return "?";
}

template <class Enum>
void require_one_of(const std::string& name, const char* what, const std::vector<Enum>& legal, Enum value) {
  if (legal.empty() || std::find(legal.begin(), legal.end(), value) != legal.end()) return;
  std::string names;
  for (const Enum l : legal) names += (names.empty() ? "" : ", ") + name_of(l);
  throw UnfitBlock(name + ": the block in RTL has no " + what + " " + name_of(value) + " (legal: " + names + ")");
}

PinParameters parameters_of(const std::string& text) {
  PinParameters parameters;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos || value.size() > 18)
      throw std::invalid_argument("a block in RTL: parameter '" + word + "' (legal: NAME=NUMBER)");
    parameters[word.substr(0, equals)] = std::stoull(value);
  }
  return parameters;
}

/// Returns the identity as bits.
std::uint64_t identity(ReduceOp op, ElementType type) {
  const unsigned bits = 8 * static_cast<unsigned>(element_size(type));
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  if (is_integer(type)) return op == ReduceOp::sum ? 0 : op == ReduceOp::min ? sign - 1 : sign;
  if (op == ReduceOp::sum) return sign;  // -0 + x = x, also for +0
  const std::uint64_t infinity = type == ElementType::f16    ? 0x7C00
                                 : type == ElementType::bf16 ? 0x7F80
                                 : type == ElementType::f32  ? 0x7F800000
                                                             : 0x7FF0000000000000;
  return op == ReduceOp::min ? infinity : infinity | sign;
}

}  // namespace

RtlBlock rtl_block(std::function<std::unique_ptr<RtlModel>()> make, const std::string& parameters, const std::string& types,
                   const std::string& ops, const std::string& places, std::shared_ptr<RtlTraces> traces) {
  return {std::move(make), parameters_of(parameters), values_of<ElementType>(types), values_of<ReduceOp>(ops),
          places,          std::move(traces)};
}

std::unique_ptr<RtlModel> make_model(const RtlBlock& block, const std::string& name) {
  std::unique_ptr<RtlModel> model = block.make();
  if (block.traces == nullptr || !model->can_trace()) return model;
  if (const std::string file = block.traces->file_of(name); !file.empty()) model->open_trace(file);
  return model;
}

void require_element(const std::string& name, const RtlBlock& block, ElementType type, ReduceOp op) {
  require_one_of(name, "type", block.types, type);
  require_one_of(name, "operation", block.ops, op);
}

std::uint64_t parameter(const PinTable& table, const RtlBlock& block, const char* name) {
  return width_of(table, 1, name, block.parameters);
}

void fill_identity(ReduceOp op, ElementType type, std::uint8_t* data, std::size_t bytes) {
  const std::uint64_t value = identity(op, type);
  const std::size_t size = element_size(type);
  for (std::size_t at = 0; at < bytes; at += size) std::memcpy(data + at, &value, std::min(size, bytes - at));
}

}  // namespace tributary
