#pragma once
/// The columns of the page of an exploration: variables, then objectives, then the value of a sensitivity or bisection.

#include <optional>
#include <string>
#include <vector>

#include "testbench/report/explore/explore_report.h"

namespace tributary::html {

struct PageColumn {
  std::string name, unit;
  std::string goal;                         ///< lower or higher for an objective, otherwise empty
  std::vector<std::string> values;          ///< texts of a variable's values; none: the column holds numbers
  bool ordered = true;                      ///< false: the values are names
  std::vector<std::optional<double>> data;  ///< by point: a number, or the index of a value

  bool is_variable() const { return !values.empty(); }
  std::string title() const { return unit.empty() ? name : name + " (" + unit + ")"; }
  /// Returns the text of a point's value with six significant digits; empty without a value.
  std::string text(std::size_t point) const;
};

struct PageColumns {
  std::vector<PageColumn> all;
  std::size_t x = 0, y = 0, colour = 0;  ///< columns that the page shows at first

  const PageColumn& operator[](std::size_t i) const { return all[i]; }
  std::size_t size() const { return all.size(); }
};

/// Range of a column over the points that are drawn.
struct ColumnRange {
  double low = 0, high = 1;
  bool logarithmic = false;  ///< all are above 0 and spread by more than a factor of 4

  /// Returns the place of a value, 0 to 1; the middle of a range without extent.
  double share(double value) const;
};

PageColumns page_columns(const ExploreReport& report);
/// True for a feasible point of the workloads as they are that has a value in every column.
bool is_drawn(const ExploreReport& report, const PageColumns& columns, std::size_t point);
std::vector<std::size_t> drawn_points(const ExploreReport& report, const PageColumns& columns);
ColumnRange range_of(const PageColumn& column, const std::vector<std::size_t>& points);
/// Returns the points, ordered by the first objective.
std::vector<std::size_t> best_first(const ExploreReport& report, std::vector<std::size_t> points);

}  // namespace tributary::html
