#include "testbench/workload/training/read/pytorch_values.h"

#include <charconv>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/plain_name.h"

namespace tributary::training {
namespace {

using Json = nlohmann::json;

/// True for [name, description] of a process group.
bool is_group(const Json& value) {
  return value.is_array() && value.size() == 2 && value[0].is_string() && value[1].is_string();
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

}  // namespace tributary::training
