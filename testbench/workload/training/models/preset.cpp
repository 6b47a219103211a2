#include "testbench/workload/training/models/preset.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "modules/base/nearest.h"
#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/models/embedded_files.h"
#include "testbench/workload/training/models/yaml_values.h"

namespace tributary::training {
namespace {

const std::string folder = "presets/";

std::string preset_name(const EmbeddedFile& file) {
  const std::string path(file.name);
  return path.compare(0, folder.size(), folder) == 0 ? std::filesystem::path(path).stem().string() : "";
}

std::vector<PresetValue> parameters(const YamlValues& values, const YamlNode& map) {
  if (!map.is_map()) values.fail(map, "parameters: a map of paths to values is expected, such as compute.peak: 120TFLOP/s");
  std::vector<PresetValue> all;
  std::set<std::string> seen;
  for (const auto& [name, value] : map.entries) {
    const std::string path = values.text(*name, "a parameter");
    if (!seen.insert(path).second) values.fail(*name, "parameter '" + one_line(path) + "' is given twice (legal: once)");
    all.push_back({path, values.text(*value, one_line(path)), values.place(*value)});
  }
  return all;
}

}  // namespace

std::vector<PresetValue> Preset::for_model(const std::string& model) const {
  std::vector<PresetValue> all = values;
  const auto own = model_values.find(model);
  if (own != model_values.end()) all.insert(all.end(), own->second.begin(), own->second.end());
  return all;
}

std::vector<PresetValue> Preset::for_type(const std::string& type) const {
  if (type_values.empty()) return {};
  const auto own = type_values.find(type);
  if (own != type_values.end()) return own->second;
  std::vector<std::string> legal;
  for (const auto& [other, values_of_it] : type_values) legal.push_back(other);
  throw InputError("preset " + one_line(name) + " has no values for training.dtype=" + type +
                   " (legal: " + join_names(legal) + ")");
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files())
    if (std::string name = preset_name(file); !name.empty()) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  return names;
}

Preset parse_preset(const std::string& text, const std::string& where) {
  const YamlValues values(where);
  const YamlRef top = values.document(text);
  values.check_map(*top, "a preset", {"name", "about", "sources", "parameters", "models", "types"});
  Preset preset;
  preset.name = values.text(values.at(*top, "a preset", "name"), "name");
  if (const YamlNode* about = YamlValues::find(*top, "about")) preset.about = values.text(*about, "about");
  if (const YamlNode* sources = YamlValues::find(*top, "sources")) preset.sources = values.texts(*sources, "sources");
  preset.values = parameters(values, values.at(*top, "a preset", "parameters"));
  const auto more = [&](const char* key, const char* one, std::map<std::string, std::vector<PresetValue>>& all) {
    const YamlNode* maps = YamlValues::find(*top, key);
    if (maps == nullptr) return;
    if (!maps->is_map()) values.fail(*maps, std::string(key) + ": a map of " + key + " to their parameters is expected");
    for (const auto& [name, map] : maps->entries) all[values.text(*name, one)] = parameters(values, *map);
  };
  more("models", "a model", preset.model_values);
  more("types", "a type", preset.type_values);
  return preset;
}

Preset find_preset(const std::string& name_or_path) {
  for (const EmbeddedFile& file : embedded_files())
    if (const std::string name = preset_name(file); !name.empty() && name == name_or_path)
      return parse_preset(std::string(file.text), name);
  const std::string end = std::filesystem::path(name_or_path).extension().string();
  if (end == ".yaml" || end == ".yml") return parse_preset(read_text(name_or_path), name_or_path);
  throw InputError(unknown_name("preset", one_line(name_or_path), preset_names()) + ", or a file of .yaml");
}

}  // namespace tributary::training
