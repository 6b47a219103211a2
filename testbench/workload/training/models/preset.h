#pragma once
/// Parameters of a paper's experiment, from a file with their sources.

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tributary::training {

/// A parameter's path and its value as text, with the place where it stands: what `--set` would take.
struct PresetValue {
  std::string path, text, where;
};

struct Preset {
  std::string name;
  std::string about;
  std::vector<std::string> sources;
  std::vector<PresetValue> values;                               ///< for every model
  std::map<std::string, std::vector<PresetValue>> model_values;  ///< for one model more, by its name

  /// The values for a model, those of that model last, so that they count.
  std::vector<PresetValue> for_model(const std::string& model) const;
};

/// Names for find_preset(), in the order of the alphabet.
std::vector<std::string> preset_names();
/// A preset that ships, by its name; else a YAML file (.yaml or .yml). Throws InputError.
Preset find_preset(const std::string& name_or_path);
/// Throws InputError `where:line: what; what is legal`. Values are checked where they are set.
Preset parse_preset(const std::string& text, const std::string& where);

}  // namespace tributary::training
