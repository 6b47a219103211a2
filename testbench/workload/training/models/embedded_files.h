#pragma once
/// Files of `data/` as the build has put them into the executable.

#include <string_view>
#include <vector>

namespace tributary::training {

struct EmbeddedFile {
  std::string_view name;  ///< below `data/`: `models/resnet50.yaml`
  std::string_view text;
};

/// In the order of their names. Defined by a source that the build writes (CMakeLists.txt, tributary_embedded).
const std::vector<EmbeddedFile>& embedded_files();

}  // namespace tributary::training
