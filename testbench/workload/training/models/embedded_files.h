#pragma once
/// Files of `data/`, which the build embeds into the executable.

#include <string_view>
#include <vector>

namespace tributary::training {

struct EmbeddedFile {
  std::string_view name;  ///< path below `data/`: `models/resnet50.yaml`
  std::string_view text;
};

/// Returns the files in the order of their names. Defined by a source that the build generates (CMakeLists.txt,
/// tributary_embedded).
const std::vector<EmbeddedFile>& embedded_files();

}  // namespace tributary::training
