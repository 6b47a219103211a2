#pragma once
/// Bars of energies: one for each run, with a segment for each part; standing energy is hatched.

#include <string>
#include <utility>
#include <vector>

#include "testbench/report/plot/svg.h"

namespace tributary::plot {

struct EnergyBar {
  std::string label;
  std::vector<std::pair<std::string, double>> parts;  ///< in pJ per byte, in the order of all reports
  double standing = 0, low = 0, high = 0;             ///< likewise; ends of the range of the whole
};

struct EnergyDrawing {
  Svg svg;
  double width = 0, height = 0;
};

/// Draws the bars in the given order on one scale.
EnergyDrawing draw_energy(const std::vector<EnergyBar>& bars);

}  // namespace tributary::plot
