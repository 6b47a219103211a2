#pragma once
/// The report of an exploration from its points and its method.

#include <string>
#include <vector>

#include "testbench/cli/explore/explore_method.h"
#include "testbench/cli/explore/explore_pool.h"
#include "testbench/report/explore/explore_report.h"

namespace tributary {

/// `ended`: cause of an early end, or empty.
ExploreReport report_of(const ExploreModel& model, const ExploreSearch& search, const std::vector<ExploredPoint>& points,
                        const std::string& ended);

/// Returns the column of an objective in the files: its name with the unit.
std::string column_of(const explore::Objective& objective);

}  // namespace tributary
