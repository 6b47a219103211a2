#include "testbench/report/explore/explore_columns.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace tributary::html {
namespace {

PageColumn variable_column(const ExploreReport& report, std::size_t v) {
  PageColumn column;
  column.name = report.variables[v].name, column.values = report.variables[v].values;
  column.ordered = report.variables[v].ordered;
  std::map<std::string, double> places;
  for (std::size_t i = 0; i < column.values.size(); ++i) places.emplace(column.values[i], i);
  for (const ExploreReport::Point& point : report.points) {
    const auto found = places.find(point.values[v]);
    column.data.push_back(found == places.end() ? std::nullopt : std::optional<double>(found->second));
  }
  return column;
}

std::optional<double> finite(double x) { return std::isfinite(x) ? std::optional<double>(x) : std::nullopt; }

PageColumn objective_column(const ExploreReport& report, std::size_t m) {
  PageColumn column;
  column.name = report.objectives[m].name, column.unit = report.objectives[m].unit;
  column.goal = report.objectives[m].maximised ? "higher" : "lower";
  for (const ExploreReport::Point& point : report.points)
    column.data.push_back(point.objectives.empty() ? std::nullopt : finite(point.objectives[m]));
  return column;
}

PageColumn of_column(const ExploreReport& report) {
  PageColumn column;
  column.name = report.method == "sensitivity" ? "ln(" + report.of + ")" : report.of;
  for (const ExploreReport::Point& point : report.points) column.data.push_back(point.of ? finite(*point.of) : std::nullopt);
  return column;
}

/// Returns the variable that a sensitivity or a bisection found to matter most, otherwise the first one.
std::size_t main_variable(const ExploreReport& report) {
  std::size_t best = 0;
  for (std::size_t v = 0; v < report.morris.size(); ++v)
    if (report.morris[v].mu_star > report.morris[best].mu_star) best = v;
  for (std::size_t v = 0; v < report.sobol.size(); ++v)
    if (report.sobol[v].total > report.sobol[best].total) best = v;
  for (std::size_t v = 0; report.bisection && v < report.variables.size(); ++v)
    if (report.variables[v].name == report.bisection->variable) best = v;
  return best;
}

}  // namespace

std::string PageColumn::text(std::size_t point) const {
  if (!data[point]) return "";
  const double x = *data[point];
  if (is_variable()) return values[static_cast<std::size_t>(x)];
  char text[40];
  std::snprintf(text, sizeof text, std::fabs(x) >= 1e5 && std::fabs(x) < 1e15 ? "%.0f" : "%.6g", x);
  return text;
}

double ColumnRange::share(double value) const {
  if (!(high > low)) return 0.5;
  if (logarithmic) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return (value - low) / (high - low);
}

PageColumns page_columns(const ExploreReport& report) {
  PageColumns columns;
  for (std::size_t v = 0; v < report.variables.size(); ++v) columns.all.push_back(variable_column(report, v));
  const std::size_t first = columns.size(), variable = main_variable(report);
  for (std::size_t m = 0; m < report.objectives.size(); ++m) columns.all.push_back(objective_column(report, m));
  if (!report.of.empty()) columns.all.push_back(of_column(report));
  columns.x = report.objectives.size() > 1 ? first + 1 : variable;
  columns.y = std::min(first, columns.size() - 1);
  columns.colour = columns.x == 0 && first > 1 ? 1 : 0;
  return columns;
}

bool is_drawn(const ExploreReport& report, const PageColumns& columns, std::size_t point) {
  const ExploreReport::Point& found = report.points[point];
  return found.violation == 0.0 && found.rung == 0 &&
         std::all_of(columns.all.begin(), columns.all.end(), [&](const PageColumn& c) { return c.data[point].has_value(); });
}

std::vector<std::size_t> drawn_points(const ExploreReport& report, const PageColumns& columns) {
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < report.points.size(); ++i)
    if (is_drawn(report, columns, i)) points.push_back(i);
  return points;
}

ColumnRange range_of(const PageColumn& column, const std::vector<std::size_t>& points) {
  if (column.is_variable()) return {0, static_cast<double>(column.values.size() - 1), false};
  if (points.empty()) return {};
  ColumnRange range{*column.data[points[0]], *column.data[points[0]], false};
  for (const std::size_t i : points)
    range.low = std::min(range.low, *column.data[i]), range.high = std::max(range.high, *column.data[i]);
  range.logarithmic = range.low > 0 && range.high > 4 * range.low;
  return range;
}

std::vector<std::size_t> best_first(const ExploreReport& report, std::vector<std::size_t> points) {
  if (report.objectives.empty()) return points;
  const double sign = report.objectives[0].maximised ? -1 : 1;
  const auto key = [&](std::size_t i) {
    const std::vector<double>& values = report.points[i].objectives;
    return values.empty() ? HUGE_VAL : sign * values[0];
  };
  std::stable_sort(points.begin(), points.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return points;
}

}  // namespace tributary::html
