#pragma once
/// A tornado plot: the gain of each parameter when it is doubled and when it is halved.

#include <optional>
#include <string>
#include <vector>

#include "testbench/report/plot/svg.h"

namespace tributary::plot {

struct TornadoBar {
  std::string label;
  std::optional<double> doubled, halved;  ///< gains: 1 - time / time of the base; at most 1
  bool joint = false;                     ///< several parameters together, drawn with a double edge
};

struct TornadoDrawing {
  Svg svg;
  double width = 0, height = 0;
};

/// Draws the bars in the given order. Gains below -1 are cut there, and their number follows. `band`: gains within +/- band
/// are noise.
TornadoDrawing draw_tornado(const std::vector<TornadoBar>& bars, double band);

}  // namespace tributary::plot
