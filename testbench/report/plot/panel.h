#pragma once
/// Draws a panel: one pair of axes and its contents.

#include <vector>

#include "testbench/report/plot/chart.h"
#include "testbench/report/plot/svg.h"

namespace tributary::plot {

constexpr double letters = 11, small_letters = 10;
constexpr const char* ink = " fill=\"#333\"";
constexpr double widest_row_name = 260, longest_turned_name = 150;

/// The axes of a panel, and their ticks.
struct PanelAxes {
  AxisSpec x_spec, y_spec;
  Axis x, y;
  std::vector<double> x_ticks;  ///< values with a tick
  bool round_x = false;         ///< ticks are at round values instead
  bool turned_names = false;    ///< names below the axis read upwards
};

/// The area within the axes, in pixels.
struct PanelArea {
  double left = 0, top = 0, width = 0, height = 0;
};

/// True if the point can be drawn on these axes.
bool has_place(const ChartPoint& point, const AxisSpec& x, const AxisSpec& y);
void draw_panel(Svg& svg, const ChartPanel& panel, const PanelAxes& axes, const PanelArea& area);
/// Returns the axis of a scale of colours, from its first to its last colour.
Axis axis_of(const ColourScale& scale);
/// Draws a heat map on axes of names. Values within cells are shown where they fit.
void draw_cells(Svg& svg, const ChartPanel& panel, const PanelAxes& axes, const PanelArea& area, const ColourScale& scale);
void draw_graph(Svg& svg, const ChartPanel& panel, const PanelArea& area);
/// Draws the name of the panel above it.
void draw_panel_title(Svg& svg, const std::string& title, const PanelArea& area);

}  // namespace tributary::plot
