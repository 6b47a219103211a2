#pragma once
/// Drawings of an exploration as SVG. The page shows those of points and of the hypervolume where scripts are off.

#include <string>

#include "testbench/report/explore/explore_columns.h"

namespace tributary::html {

/// Returns the points on the two axes that the page shows at first, with front, knee and baseline.
std::string draw_scatter(const ExploreReport& report, const PageColumns& columns);
/// Returns all points as lines across one axis for each column.
std::string draw_parallel(const ExploreReport& report, const PageColumns& columns);
/// Returns the hypervolume over the number of points.
std::string draw_growth(const ExploreReport& report);

/// Returns true if the exploration has effects of variables.
bool has_effects(const ExploreReport& report);
/// Returns bars of the effect of each variable: steps of one at a time, mu* and sigma, or S1 and ST with their intervals.
std::string draw_effects(const ExploreReport& report);

}  // namespace tributary::html
