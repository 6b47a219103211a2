#pragma once
/// Chart: lines over one quantity, in panels side by side that share their axes, with a legend.

#include <optional>
#include <string>
#include <vector>

#include "testbench/report/plot/axis.h"
#include "testbench/report/plot/svg.h"

namespace tributary::plot {

struct ChartPoint {
  double x = 0;
  std::optional<double> y;   ///< none: a gap in the line
  double low = 0, high = 0;  ///< of several values, whose mean is y
};

enum class SeriesKind {
  line,     ///< with a marker at each point
  curve,    ///< without markers, and without ticks at its points
  bound,    ///< dashed, without markers
  measured  ///< crosses, without a line
};

/// Points in ascending order of x.
struct ChartSeries {
  std::string name;
  SeriesKind kind = SeriesKind::line;
  std::size_t colour = 0;  ///< number; each has its marker, so that they differ in grey
  std::vector<ChartPoint> points;
};

struct ChartPanel {
  std::string title;
  std::vector<ChartSeries> series;
};

struct Chart {
  AxisSpec x, y;
  std::vector<ChartPanel> panels;  ///< at least one
};

struct ChartDrawing {
  Svg svg;
  double width = 0, height = 0;
};

/// A point below or at 0 on a logarithmic axis is a gap.
ChartDrawing draw(const Chart& chart);
/// Colour of a number, of a palette that the colour-blind can tell apart (Okabe and Ito).
std::string series_colour(std::size_t number);

}  // namespace tributary::plot
