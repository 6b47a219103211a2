#include "testbench/workload/training/models/yaml_values.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "modules/base/field_type.h"
#include "modules/base/input_file.h"
#include "modules/base/nearest.h"
#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"

namespace tributary::training {

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (const std::string why = refusal_of_file(file, path); !why.empty()) throw InputError(path + ": " + why);
  std::string text(YamlLimits::bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > YamlLimits::bytes)
    throw InputError(path + ": too large (legal: up to " + std::to_string(YamlLimits::bytes) + " bytes)");
  return text;
}

YamlRef YamlValues::document(const std::string& text) const {
  const auto documents = parse_yaml(text, where_);
  if (documents.size() != 1)
    throw InputError(where_ + ": " + std::to_string(documents.size()) + " YAML documents (legal: one)");
  return documents.front();
}

void YamlValues::check_map(const YamlNode& node, const std::string& what, const std::vector<std::string>& legal) const {
  if (!node.is_map()) fail(node, what + " must be a map of keys (legal: " + join_names(legal) + ")");
  std::set<std::string> seen;
  for (const auto& [name, value] : node.entries) {
    const std::string key = text(*name, "a key of " + what);
    if (std::find(legal.begin(), legal.end(), key) == legal.end())
      fail(*name, unknown_name("key of " + what, one_line(key), legal));
    if (!seen.insert(key).second) fail(*name, "key '" + key + "' of " + what + " is given twice (legal: once)");
  }
}

const YamlNode* YamlValues::find(const YamlNode& map, const std::string& key) {
  for (const auto& [name, value] : map.entries)
    if (name->is_scalar() && name->text == key) return value.get();
  return nullptr;
}

const YamlNode& YamlValues::at(const YamlNode& map, const std::string& what, const std::string& key) const {
  const YamlNode* found = find(map, key);
  if (found == nullptr) fail(map, what + " has no '" + key + "'");
  return *found;
}

std::string YamlValues::text(const YamlNode& node, const std::string& what) const {
  if (!node.is_scalar()) fail(node, what + ": one value is expected");
  return node.text;
}

std::uint64_t YamlValues::number(const YamlNode& node, const std::string& what, std::uint64_t least,
                                 std::uint64_t most) const {
  const std::string legal = " (legal: a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ")";
  const std::string given = text(node, what);
  try {
    const std::uint64_t n = parse_count(given, most);
    if (n >= least) return n;
  } catch (const UnitError&) {  // reported below, with the legal values
  }
  fail(node, what + " is '" + one_line(given) + "'" + legal);
}

std::uint64_t YamlValues::key_heads(const YamlNode& node, std::uint64_t heads) const {
  const std::uint64_t count = number(node, "key_heads", 1, heads);
  if (heads % count != 0)
    fail(node, "key_heads is '" + std::to_string(count) + "' (legal: a divisor of the " + std::to_string(heads) + " heads)");
  return count;
}

std::vector<std::uint64_t> YamlValues::numbers(const YamlNode& node, const std::string& what, std::uint64_t least,
                                               std::uint64_t most) const {
  if (!node.is_sequence()) fail(node, what + ": a list of numbers is expected");
  std::vector<std::uint64_t> all;
  for (const YamlRef& item : node.items) all.push_back(number(*item, what, least, most));
  return all;
}

std::vector<std::string> YamlValues::texts(const YamlNode& node, const std::string& what) const {
  if (!node.is_sequence()) fail(node, what + ": a list of texts is expected");
  std::vector<std::string> all;
  for (const YamlRef& item : node.items) all.push_back(text(*item, what));
  return all;
}

void YamlValues::fail(const YamlNode& node, const std::string& what) const { throw InputError(place(node) + ": " + what); }

}  // namespace tributary::training
