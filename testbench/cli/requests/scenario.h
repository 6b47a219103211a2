#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/cli/requests/axes.h"
#include "testbench/cli/requests/settings.h"
#include "testbench/workload/yaml_document.h"

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

/// The file of a sweep, a scenario in which any value may be a list. The points of a YAML document are the cartesian product
/// of its lists, and the last list changes fastest. The key `command` of a document selects `run` (the default) or `train`.
class SweepFile {
 public:
  /// Reads the file and the first point of each document. Throws InputError.
  explicit SweepFile(const std::string& path);

  std::size_t documents() const { return documents_.size(); }
  const Axes& axes(std::size_t document) const { return documents_.at(document).axes; }
  /// Reads a point of a document. Throws InputError.
  ScenarioPoint point(std::size_t document, std::size_t number);

 private:
  struct Document {
    YamlRef top;
    Axes axes;
  };

  std::string path_;
  std::vector<Document> documents_;
};

}  // namespace tributary
