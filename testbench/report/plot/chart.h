#pragma once
/// Chart: what a figure shows, in panels with one legend: lines, bars, boxes and ranges over a quantity, values that a paper
/// states, and graphs.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "testbench/report/plot/axis.h"
#include "testbench/report/plot/svg.h"

namespace tributary::plot {

/// What a box shows of the values at its point.
struct Quartiles {
  double first = 0, median = 0, third = 0;
};

struct ChartPoint {
  double x = 0;
  std::optional<double> y;   ///< none: a gap in the line
  double low = 0, high = 0;  ///< of several values, whose mean is y; of a range, along x
  std::optional<Quartiles> box;
  std::string label;       ///< above the point; of a range, that of its low end
  std::string high_label;  ///< of a range
};

enum class SeriesKind {
  line,      ///< with a marker at each point
  curve,     ///< without markers, and without ticks at its points
  bound,     ///< dashed, without markers
  measured,  ///< crosses, without a line
  dots,      ///< small, without a line
  rings,     ///< about points of other series
  bars,      ///< from 0; those of several series stand side by side
  boxes,     ///< quartiles and median, whiskers from low to high
  ranges     ///< bars along x from low to high, each on the row y
};
/// In the order of the kinds, as files call them.
const std::vector<std::string>& series_kind_names();

enum class Dash { solid, dashed, dotted };

/// Lines differ by marker, too: in grey.
struct SeriesStyle {
  std::string colour;  ///< #rrggbb
  std::size_t marker = 0;
  Dash dash = Dash::solid;
  bool marked = true;  ///< of a line: with markers
};
constexpr std::size_t series_markers = 6;
/// Of a palette that the colour-blind can tell apart (Okabe and Ito).
SeriesStyle series_style(std::size_t number);
std::string series_colour(std::size_t number);

/// Points in ascending order of x.
struct ChartSeries {
  std::string name;
  SeriesKind kind = SeriesKind::line;
  SeriesStyle style;
  std::vector<ChartPoint> points;
};

/// A value that a paper states, or a bound: a line right across at y, or upwards at x; with both, a star.
struct Stated {
  std::optional<double> x, y;
  std::string text;
};

/// Nodes with arrows between them, in place of axes. Places are shares of the panel, y upwards.
struct ChartGraph {
  struct Node {
    std::string name;
    double x = 0, y = 0;
  };
  struct Arrow {
    std::size_t from = 0, to = 0;  ///< numbers of nodes
    std::string colour;
  };
  std::vector<Node> nodes;
  std::vector<Arrow> arrows;  ///< several between two nodes are bent apart
};

struct ChartPanel {
  std::string title;
  std::vector<ChartSeries> series;
  std::vector<Stated> stated;
  std::optional<AxisSpec> x, y;  ///< its own; none: that of all panels
  std::optional<ChartGraph> graph;
};

struct Chart {
  std::string title;  ///< above all panels
  AxisSpec x, y;
  std::vector<ChartPanel> panels;  ///< at least one
};

struct ChartDrawing {
  Svg svg;
  double width = 0, height = 0;
};

/// A point below or at 0 on a logarithmic axis is a gap.
ChartDrawing draw(const Chart& chart);

}  // namespace tributary::plot
