#include "testbench/workload/training/read/pytorch_values.h"

#include <array>
#include <charconv>
#include <utility>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/plain_name.h"

namespace tributary::training {
namespace {

using Json = nlohmann::json;

/// True for [name, description] of a process group.
bool is_group(const Json& value) {
  return value.is_array() && value.size() == 2 && value[0].is_string() && value[1].is_string();
}

/// Returns the elements of all tensors [id, storage, offset, elements, bytes of an element, device] in a value.
std::uint64_t elements_in(const Json& value) {
  if (!value.is_array()) return 0;
  constexpr std::size_t count = 3;
  const bool tensor = value.size() == 6 && value[count].is_number_unsigned() && value[5].is_string();
  if (tensor) return value[count].get<std::uint64_t>();
  std::uint64_t sum = 0;
  for (const Json& part : value) sum += elements_in(part);
  return sum;
}

/// Returns the name in C10 of the elements of `GenericList[Tensor(float)]`.
std::string element_type(const std::string& tensor) {
  const std::string open = "Tensor(", space = "c10::";
  const std::size_t found = tensor.find(open), begin = found + open.size();
  if (found == std::string::npos) return tensor;
  std::string type = tensor.substr(begin, tensor.find(')', begin) - begin);
  if (type.compare(0, space.size(), space) == 0) return type.substr(space.size());
  constexpr std::array<std::pair<const char*, const char*>, 9> types{{{"float", "Float"},
                                                                      {"double", "Double"},
                                                                      {"int", "Int"},
                                                                      {"long", "Long"},
                                                                      {"long int", "Long"},
                                                                      {"short", "Short"},
                                                                      {"unsigned char", "Byte"},
                                                                      {"signed char", "Char"},
                                                                      {"bool", "Bool"}}};
  for (const auto& [there, here] : types)
    if (type == there) return here;
  return type;
}

}  // namespace

std::string torch_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json torch_value(const Json& object, std::initializer_list<const char*> path) {
  const Json* value = &object;
  for (const char* key : path) {
    if (!value->is_object()) return {};
    const auto found = value->find(key);
    if (found == value->end()) return {};
    value = &*found;
  }
  return *value;
}

std::uint64_t torch_number(const std::string& place, const Json& values, const char* key) {
  const auto value = values.find(key);
  if (value == values.end()) throw InputError(place + ": no '" + key + "'");
  const std::string text = torch_text(*value);
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size())
    throw InputError(place + ": " + key + " is '" + plain_name(text, longest_torch_name) +
                     "' (legal: a whole number from 0)");
  return n;
}

std::vector<std::uint64_t> torch_parts(const Json& values, const char* key) {
  const auto found = values.find(key);
  if (found == values.end()) return {};
  const Json list = found->is_array() ? *found : Json::parse(torch_text(*found), nullptr, false);
  std::vector<std::uint64_t> parts;
  if (!list.is_array()) return parts;
  for (const Json& part : list) {
    if (!part.is_number_unsigned()) return {};
    parts.push_back(part.get<std::uint64_t>());
  }
  return parts;
}

std::optional<std::uint64_t> torch_rank(const Json& node) {
  const Json values = torch_value(node, {"inputs", "values"});
  if (!values.is_array()) return std::nullopt;
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    if (is_group(values[i]) && values[i + 1].is_number_unsigned()) return values[i + 1].get<std::uint64_t>();
  return std::nullopt;
}

Json torch_inputs(const Json& node) {
  const Json inputs = torch_value(node, {"inputs", "values"}), types = torch_value(node, {"inputs", "types"});
  Json values = Json::object();
  if (!inputs.is_array()) return values;
  std::size_t group = 0;
  while (group < inputs.size() && !is_group(inputs[group])) ++group;
  constexpr std::size_t after = 8;  // rank, name, parts in and out, first rank, stride, ranks
  if (group + after > inputs.size()) return values;
  values[node_keys.group] = inputs[group][0];
  values[node_keys.collective] = inputs[group + 2];
  values[node_keys.in_parts] = inputs[group + 3];
  values[node_keys.start] = inputs[group + 5];
  values[node_keys.stride] = inputs[group + 6];
  values[node_keys.size] = inputs[group + 7];
  std::uint64_t in = 0;
  for (std::size_t i = 0; i < group; ++i) in += elements_in(inputs[i]);
  values[node_keys.in] = in;
  const Json outputs = torch_value(node, {"outputs", "values"});
  if (outputs.is_array() && !outputs.empty()) values[node_keys.out] = elements_in(outputs);
  if (types.is_array() && !types.empty()) values["dtype"] = element_type(torch_text(types[0]));
  return values;
}

}  // namespace tributary::training
