#pragma once
/// Parameters of a paper's experiment, from a file with their sources.

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tributary::training {

/// A parameter's path and its value as text, as for `--set`, with its position in the file.
struct PresetValue {
  std::string path, text, where;
};

struct Preset {
  std::string name;
  std::string about;
  std::vector<std::string> sources;
  std::vector<PresetValue> values;                                   ///< values for every model
  std::map<std::string, std::vector<PresetValue>> model_values;      ///< additional values by model name
  std::map<std::string, std::vector<PresetValue>> type_values = {};  ///< additional values by training.dtype; empty: any

  /// Returns the values for a model. Values specific to the model come last, so that they win.
  std::vector<PresetValue> for_model(const std::string& model) const;
  /// Returns the additional values for a type. Throws InputError if the preset lists others alone.
  std::vector<PresetValue> for_type(const std::string& type) const;
};

/// Returns the names for find_preset(), in alphabetical order.
std::vector<std::string> preset_names();
/// Returns a built-in preset by name, else reads a YAML file (.yaml or .yml). Throws InputError.
Preset find_preset(const std::string& name_or_path);
/// Parses a preset. Throws InputError `where:line: what; what is legal`. Values are checked when they are set.
Preset parse_preset(const std::string& text, const std::string& where);

}  // namespace tributary::training
