#pragma once
/// Settings of a run or a training from a map of a YAML document.

#include <string>

#include "testbench/cli/requests/settings.h"
#include "testbench/workload/yaml_document.h"

namespace tributary {

/// Reads a map as a scenario with one value for each key; the key `command` selects `run` (the default) or `train`. Errors
/// name `path` and the line. Throws InputError.
Settings settings_of_node(const YamlNode& map, const std::string& path);

}  // namespace tributary
