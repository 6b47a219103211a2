#pragma once
/// Panel: one pair of axes with what it shows.

#include <vector>

#include "testbench/report/plot/chart.h"
#include "testbench/report/plot/svg.h"

namespace tributary::plot {

constexpr double letters = 11, small_letters = 10;
constexpr const char* ink = " fill=\"#333\"";
constexpr double widest_row_name = 260, longest_turned_name = 150;

/// The axes of a panel, and what they are labelled with.
struct PanelAxes {
  AxisSpec x_spec, y_spec;
  Axis x, y;
  std::vector<double> x_ticks;  ///< values that have one
  bool round_x = false;         ///< ticks at round values instead
  bool turned_names = false;    ///< names under the axis read upwards
};

/// What is within the axes, in pixels.
struct PanelArea {
  double left = 0, top = 0, width = 0, height = 0;
};

/// Whether the point has a place on such axes.
bool has_place(const ChartPoint& point, const AxisSpec& x, const AxisSpec& y);
void draw_panel(Svg& svg, const ChartPanel& panel, const PanelAxes& axes, const PanelArea& area);
void draw_graph(Svg& svg, const ChartPanel& panel, const PanelArea& area);
/// Name of the panel, above it.
void draw_panel_title(Svg& svg, const std::string& title, const PanelArea& area);

}  // namespace tributary::plot
