#pragma once
/// Chart: the contents of a figure: panels with a common legend that show lines, bars, boxes and ranges, values stated
/// by a paper, and graphs.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "testbench/report/plot/axis.h"
#include "testbench/report/plot/svg.h"

namespace tributary::plot {

/// Quartiles of the values at a point, drawn as a box.
struct Quartiles {
  double first = 0, median = 0, third = 0;
};

struct ChartPoint {
  double x = 0;
  std::optional<double> y;   ///< none: a gap in the line
  double low = 0, high = 0;  ///< range of several values whose mean is y; for ranges, the ends along x
  std::optional<Quartiles> box;
  std::string label;       ///< text above the point; for ranges, at the low end
  std::string high_label;  ///< for ranges, text at the high end
  std::size_t under = 0;   ///< number of equal lines that are drawn over this one here; draw() sets it
};

enum class SeriesKind {
  line,      ///< with a marker at each point
  curve,     ///< without markers and ticks at its points
  bound,     ///< dashed, without markers
  measured,  ///< crosses without a line
  dots,      ///< small dots without a line
  rings,     ///< rings around points of other series
  bars,      ///< bars from 0, side by side for several series
  boxes,     ///< quartiles and median, with whiskers from low to high
  ranges     ///< bars along x from low to high, each in the row y
};
/// Returns the names used in files, in the order of the kinds.
const std::vector<std::string>& series_kind_names();

enum class Dash { solid, dashed, dotted };

/// Lines also differ by marker, so that they are distinguishable in greyscale.
struct SeriesStyle {
  std::string colour;  ///< #rrggbb
  std::size_t marker = 0;
  Dash dash = Dash::solid;
  bool marked = true;  ///< for lines: with markers
};
constexpr std::size_t series_markers = 6;
/// Returns a style from a palette that is safe for colour-blind readers (Okabe and Ito).
SeriesStyle series_style(std::size_t number);
std::string series_colour(std::size_t number);

/// A series; its points are in ascending order of x.
struct ChartSeries {
  std::string name;
  SeriesKind kind = SeriesKind::line;
  SeriesStyle style;
  std::vector<ChartPoint> points;
};

/// A value stated by a paper, or a bound: a horizontal line at y or a vertical line at x; with both, a star.
struct Stated {
  std::optional<double> x, y;
  std::string text;
};

/// Nodes with arrows between them, instead of axes. Positions are fractions of the panel, y upwards.
struct ChartGraph {
  struct Node {
    std::string name;
    double x = 0, y = 0;
  };
  struct Arrow {
    std::size_t from = 0, to = 0;  ///< indices of nodes
    std::string colour;
  };
  std::vector<Node> nodes;
  std::vector<Arrow> arrows;  ///< several arrows between two nodes are bent apart
};

/// A cell of a heat map, at a name of x and a name of y.
struct ChartCell {
  std::size_t x = 0, y = 0;
  double value = 0;
};

/// Values of the first and the last colour of heat maps.
struct ColourScale {
  std::string title;
  double low = 0, high = 1;
  bool logarithmic = false;  ///< low and high are above 0; other values have no colour
};

struct ChartPanel {
  std::string title;
  std::vector<ChartSeries> series;
  std::vector<ChartCell> cells = {};
  std::vector<Stated> stated;
  std::optional<AxisSpec> x, y;  ///< axes of this panel; none: those of the chart
  std::optional<ChartGraph> graph;
};

/// Widths of the columns of a chart with one panel, in pixels.
struct ChartColumns {
  double values = 0, area = 0, rest = 0;  ///< left of the axes, within the axes, right of the axes
};

struct Chart {
  std::string title;  ///< above all panels
  AxisSpec x, y;
  std::vector<ChartPanel> panels;            ///< at least one
  std::optional<ChartColumns> columns = {};  ///< none: as wide as the contents need
  std::string legend;                        ///< title of the legend
  std::optional<ColourScale> scale = {};     ///< colours of cells
};

struct ChartDrawing {
  Svg svg;
  double width = 0, height = 0;
};

/// Sets ChartPoint::under, so that a line shows as a border of the equal lines that are drawn over it. Lines are equal where
/// two points in a row, or all points, are at most a pixel apart on the axis `y`.
void keep_equal_lines_apart(ChartPanel& panel, const AxisSpec& y);

/// Draws the chart. Equal lines stay visible: keep_equal_lines_apart(). A point at or below 0 on a logarithmic axis is a
/// gap.
ChartDrawing draw(const Chart& chart);

}  // namespace tributary::plot
