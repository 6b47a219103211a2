#pragma once

#include <string>

namespace tributary {

/// A finding, rendered for each output of a run.
struct MeasuredResult {
  std::string text;     ///< lines that begin with `# `
  std::string json;     ///< object `bottleneck.measured` of the result file
  std::string drawing;  ///< SVG file
  std::string section;  ///< HTML
};

}  // namespace tributary
