#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/cli/requests/settings.h"

namespace tributary {

/// Reads a scenario file (YAML): the options of `run` as keys, `parameters` as a map of paths, and entries of `jobs`.
/// Throws InputError with file and line.
Settings read_scenario(const std::string& path);

/// One point of a sweep.
struct ScenarioPoint {
  Settings settings;
  std::vector<std::pair<std::string, std::string>> axes;  ///< name and value, in the order of the file
  bool training = false;                                  ///< `command: train`: settings are those of train_options()
};

/// Reads a sweep, a scenario in which any value may be a list. The points are the cartesian product of the lists, and the
/// last list changes fastest. Several YAML documents in a file are several products, one after another. The key `command` of
/// a document selects `run` (the default) or `train`. Throws InputError.
std::vector<ScenarioPoint> read_sweep(const std::string& path);

}  // namespace tributary
