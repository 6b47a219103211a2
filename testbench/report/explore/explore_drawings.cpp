#include "testbench/report/explore/explore_drawings.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "testbench/report/explore/explore_page_data.h"
#include "testbench/report/plot/chart.h"
#include "testbench/report/plot/font_table.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {
namespace {

using plot::SeriesKind;

plot::AxisSpec axis_spec(const PageColumn& column, const ColumnRange& range) {
  plot::AxisSpec spec;
  spec.title = column.title(), spec.names = column.values, spec.logarithmic = range.logarithmic;
  spec.bytes = column.unit == "B", spec.margin = 0.05;
  return spec;
}

plot::ChartSeries series_of(const char* name, SeriesKind kind, std::size_t style) {
  return {name, kind, plot::series_style(style), {}};
}

void add_point(plot::ChartSeries& series, double x, double y) {
  plot::ChartPoint point;
  point.x = x, point.y = y, point.low = y, point.high = y;
  series.points.push_back(point);
}

/// Returns the points, ordered from the best in x to the best in y, that no other point beats in both.
std::vector<std::size_t> front_of_two(const PageColumn& x, const PageColumn& y, std::vector<std::size_t> points) {
  const auto key = [](const PageColumn& c, std::size_t i) { return c.goal == "higher" ? -*c.data[i] : *c.data[i]; };
  std::sort(points.begin(), points.end(),
            [&](std::size_t a, std::size_t b) { return std::pair(key(x, a), key(y, a)) < std::pair(key(x, b), key(y, b)); });
  std::vector<std::size_t> best;
  for (const std::size_t i : points)
    if (best.empty() || key(y, i) < key(y, best.back())) best.push_back(i);
  return best;
}

plot::ChartSeries stair_of(const PageColumn& x, const PageColumn& y, const std::vector<std::size_t>& points) {
  plot::ChartSeries stair = series_of("front of the two", SeriesKind::curve, 1);
  const std::vector<std::size_t> best = front_of_two(x, y, points);
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (i > 0) add_point(stair, *x.data[best[i]], *y.data[best[i - 1]]);
    add_point(stair, *x.data[best[i]], *y.data[best[i]]);
  }
  if (x.goal == "higher") std::reverse(stair.points.begin(), stair.points.end());
  return stair;
}

void mark(plot::ChartPanel& panel, const PageColumns& columns, std::optional<std::size_t> point, const std::string& text) {
  if (!point || !columns[columns.x].data[*point] || !columns[columns.y].data[*point]) return;
  panel.stated.push_back({columns[columns.x].data[*point], columns[columns.y].data[*point], text});
}

std::string whole(double pixels) { return plot::coordinate(std::round(pixels)); }

/// Axes of parallel coordinates: places and ranges of the columns.
struct Coordinates {
  static constexpr double left = 40, gap = 130, top = 30, height = 220;
  std::vector<ColumnRange> ranges;

  static double x(std::size_t column) { return left + gap * static_cast<double>(column); }
  double y(std::size_t column, double value) const { return top + height * (1 - ranges[column].share(value)); }
};

std::string line_of(const Coordinates& place, const PageColumns& columns, std::size_t point) {
  std::string path;
  for (std::size_t c = 0; c < columns.size(); ++c)
    path += (c == 0 ? "M" : "L") + whole(Coordinates::x(c)) + " " + whole(place.y(c, *columns[c].data[point]));
  return path;
}

std::string number_label(const PageColumn& column, double value) {
  if (column.unit == "B") return plot::bytes_label(value);
  return std::fabs(value) >= 1e4 && std::fabs(value) < 1e9 ? std::to_string(std::llround(value))
                                                           : plot::Axis({}, {value}).label(value);
}

void draw_coordinate(plot::Svg& svg, const Coordinates& place, const PageColumn& column, std::size_t c) {
  const double x = Coordinates::x(c), end = Coordinates::top + Coordinates::height;
  svg.line(x, Coordinates::top, x, end, " class=\"axis\" stroke=\"#444\"");
  svg.text(x, 14, 12, column.title(), plot::Anchor::middle, false, " font-weight=\"bold\"");
  svg.text(x, end + 20, 11, column.goal.empty() ? "" : column.goal + " is better", plot::Anchor::middle);
  const std::string halo = " class=\"halo\"";
  const auto label = [&](double y, const std::string& text) {
    svg.text(x + 5, y + 4, 11, text, plot::Anchor::start, false, halo);
  };
  const std::size_t step = column.values.size() / 12 + 1;
  for (std::size_t i = 0; i < column.values.size(); i += step) label(place.y(c, static_cast<double>(i)), column.values[i]);
  if (column.is_variable()) return;
  label(Coordinates::top, number_label(column, place.ranges[c].high));
  label(end, number_label(column, place.ranges[c].low));
}

/// Draws the lines of knee and baseline with their names, apart from each other.
void draw_marked(plot::Svg& svg, const ExploreReport& report, const Coordinates& place, const PageColumns& columns) {
  const std::size_t last = columns.size() - 1;
  double below = -HUGE_VAL;
  std::vector<std::pair<double, const char*>> names;
  for (const auto& [point, name] : {std::pair(report.knee, "knee"), std::pair(report.baseline, "baseline")}) {
    if (!point || !is_drawn(report, columns, *point)) continue;
    svg.path(line_of(place, columns, *point), " class=\"axis\" fill=\"none\" stroke=\"#444\" stroke-dasharray=\"5 3\"");
    names.emplace_back(place.y(last, *columns[last].data[*point]) + 4, name);
  }
  std::sort(names.begin(), names.end());
  for (const auto& [y, name] : names) {
    below = std::max(y, below + 14);
    svg.text(Coordinates::x(last) + 60, below, 12, name);
  }
}

}  // namespace

std::string draw_scatter(const ExploreReport& report, const PageColumns& columns) {
  const std::vector<std::size_t> points = drawn_points(report, columns);
  if (points.empty()) return "";
  const PageColumn &x = columns[columns.x], &y = columns[columns.y];
  plot::Chart chart;
  chart.x = axis_spec(x, range_of(x, points)), chart.y = axis_spec(y, range_of(y, points));
  plot::ChartPanel& panel = chart.panels.emplace_back();
  plot::ChartSeries dots = series_of("points", SeriesKind::dots, 0), front = series_of("front", SeriesKind::rings, 1);
  for (const std::size_t i : points) add_point(dots, *x.data[i], *y.data[i]);
  for (const std::size_t i : report.front) add_point(front, *x.data[i], *y.data[i]);
  for (plot::ChartSeries* series : {&dots, &front}) {
    std::stable_sort(series->points.begin(), series->points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    if (!series->points.empty()) panel.series.push_back(*series);
  }
  if (!x.goal.empty() && !y.goal.empty()) panel.series.push_back(stair_of(x, y, points));
  const bool same = report.knee && report.knee == report.baseline;
  mark(panel, columns, report.knee, same ? "knee, baseline" : "knee");
  if (!same) mark(panel, columns, report.baseline, "baseline");
  const plot::ChartDrawing drawing = plot::draw(chart);
  return drawing.svg.element(drawing.width, drawing.height, "points of " + y.title() + " over " + x.title());
}

std::string draw_parallel(const ExploreReport& report, const PageColumns& columns) {
  const std::vector<std::size_t> points = drawn_points(report, columns);
  Coordinates place;
  for (const PageColumn& column : columns.all) place.ranges.push_back(range_of(column, points));
  std::set<std::string> lines;
  for (const std::size_t i : points) lines.insert(line_of(place, columns, i));
  std::string all, front;
  for (const std::string& line : lines) all += line;
  for (const std::size_t i : report.front) front += line_of(place, columns, i);
  plot::Svg svg;
  if (!all.empty()) svg.path(all, " fill=\"none\" stroke=\"#888\" stroke-opacity=\"0.3\"");
  if (!front.empty()) svg.path(front, " fill=\"none\" stroke=\"#0072B2\" stroke-width=\"1.6\"");
  draw_marked(svg, report, place, columns);
  for (std::size_t c = 0; c < columns.size(); ++c) draw_coordinate(svg, place, columns[c], c);
  return svg.element(Coordinates::x(columns.size() - 1) + 140, Coordinates::top + Coordinates::height + 30,
                     "parallel coordinates of all points");
}

std::string draw_growth(const ExploreReport& report) {
  plot::Chart chart;
  chart.x.title = "points", chart.y.title = "hypervolume";
  chart.x.from_zero = true, chart.x.margin = 0.02, chart.y.margin = 0.1;
  plot::ChartSeries line = series_of("", SeriesKind::line, 0);
  for (const GrowthPoint& at : growth_of(report)) add_point(line, static_cast<double>(at.points), at.hypervolume);
  chart.panels.emplace_back().series.push_back(line);
  const plot::ChartDrawing drawing = plot::draw(chart);
  return drawing.svg.element(drawing.width, drawing.height, "hypervolume over points");
}

}  // namespace tributary::html
