#pragma once

#include <string>

#include "testbench/cli/settings.h"

namespace tributary {

/// Reads a scenario file (YAML): the options of `run` as keys, `parameters` as a map of paths, and one entry of `jobs`.
/// Throws InputError with file and line.
Settings read_scenario(const std::string& path);

}  // namespace tributary
