#pragma once
/// Draws the marks at points of a chart. Coordinates are pixels.

#include <cstddef>
#include <string>

#include "testbench/report/plot/chart.h"
#include "testbench/report/plot/svg.h"

namespace tributary::plot {

/// Draws one of `series_markers` shapes with a radius of about 3 `times`.
void draw_marker(Svg& svg, double x, double y, const SeriesStyle& style, const std::string& hover, double times = 1);
void draw_cross(Svg& svg, double x, double y, const std::string& colour, const std::string& hover);
void draw_dot(Svg& svg, double x, double y, const std::string& colour, const std::string& hover);
void draw_ring(Svg& svg, double x, double y, const std::string& colour, const std::string& hover);
void draw_star(Svg& svg, double x, double y, const std::string& hover);
/// Draws a bar from the minimum to the maximum of several values.
void draw_spread(Svg& svg, double x, double low, double high, const std::string& colour);
/// `low` and `high` are the ends of the whiskers.
void draw_box(Svg& svg, double x, double width, double low, double high, const Quartiles& box, const std::string& colour,
              const std::string& hover);

/// Returns the attributes of a line.
std::string stroke(const SeriesStyle& style, double width, const std::string& of_class);

}  // namespace tributary::plot
