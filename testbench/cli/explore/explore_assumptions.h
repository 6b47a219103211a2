#pragma once
/// The assumptions of an exploration: parameters that are guesses of ours ([G] in docs/parameters.md), moved by 2 and 1/2 at
/// the knee and its two neighbours on the front.

#include <optional>

#include "testbench/cli/explore/explore_pool.h"
#include "testbench/report/explore/explore_report.h"

namespace tributary {

/// Runs the changes by `pool`, whose points are not those of the search. Returns nothing without a knee, and if the runs
/// ended early. `report` has the front; `points` are its points.
std::optional<ExploreReport::Assumptions> examine_assumptions(ExploreModel& model, ExplorePool& pool,
                                                              const ExploreReport& report,
                                                              const std::vector<ExploredPoint>& points);

}  // namespace tributary
