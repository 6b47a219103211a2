#pragma once
/// Paths in a scenario file are relative to the folder of that file, not to the current folder.

#include <string>

#include "testbench/cli/requests/settings.h"

namespace tributary {

/// Returns the setting of an option with its path, if it holds one, made relative to the current folder. `file` is the path
/// of the scenario. The value as it is written is kept in `Setting::written`.
Setting from_scenario(const std::string& file, const std::string& option, Setting setting);

}  // namespace tributary
