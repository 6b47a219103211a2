#pragma once
/// The data of the page of an exploration, for its scripts.

#include <nlohmann/json_fwd.hpp>

#include "testbench/report/explore/explore_columns.h"

namespace tributary::html {

/// Returns columns, front, command lines and bottlenecks. Command lines and bottlenecks are lists of numbers of words, so
/// that the page remains small.
nlohmann::ordered_json explore_page_data(const ExploreReport& report, const PageColumns& columns);

/// The hypervolume after a number of points.
struct GrowthPoint {
  std::size_t points = 0;
  double hypervolume = 0;
};
/// Returns the hypervolume at the end of each generation.
std::vector<GrowthPoint> growth_of(const ExploreReport& report);

}  // namespace tributary::html
