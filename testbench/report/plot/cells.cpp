#include <algorithm>
#include <cmath>
#include <cstdio>

#include "testbench/report/plot/colour_scale.h"
#include "testbench/report/plot/font_table.h"
#include "testbench/report/plot/panel.h"

namespace tributary::plot {
namespace {

constexpr double cell_letters = 9;

/// Returns a value with three digits or, if it is longer, its whole part.
std::string cell_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, std::abs(value) >= 100 && std::abs(value) < 1e6 ? "%.0f" : "%.3g", value);
  return text;
}

}  // namespace

Axis axis_of(const ColourScale& scale) {
  AxisSpec spec;
  spec.low = scale.low, spec.high = scale.high;
  spec.logarithmic = scale.logarithmic;
  return {spec, {}};
}

void draw_cells(Svg& svg, const ChartPanel& panel, const PanelAxes& axes, const PanelArea& area, const ColourScale& scale) {
  const double width = area.width / static_cast<double>(std::max<std::size_t>(1, axes.x_spec.names.size())),
               height = area.height / static_cast<double>(std::max<std::size_t>(1, axes.y_spec.names.size()));
  const Axis colours = axis_of(scale);
  svg.rect(area.left, area.top, area.width, area.height, " class=\"empty\" fill=\"#eee\"", "no row");
  for (const ChartCell& cell : panel.cells) {
    const double left = area.left + width * static_cast<double>(cell.x),
                 top = area.top + area.height - height * static_cast<double>(cell.y + 1);
    const bool coloured = !scale.logarithmic || cell.value > 0;
    const int colour = coloured ? scale_number(colours.place(cell.value)) : scale_colours - 1;
    const std::string text = cell_text(cell.value);
    svg.rect(left, top, width, height,
             std::string(" class=\"cell\" fill=\"") + (coloured ? scale_colour(colour) : "#eee") + "\"",
             axes.x_spec.names.at(cell.x) + ", " + axes.y_spec.names.at(cell.y) + ": " + text);
    if (text_width(text, cell_letters) + 2 < width && height > cell_letters + 2)
      svg.text(left + width / 2, top + height / 2 + 3, cell_letters, text, Anchor::middle, false,
               is_light(colour) ? " style=\"fill:#000\"" : " style=\"fill:#fff\"");
  }
}

}  // namespace tributary::plot
