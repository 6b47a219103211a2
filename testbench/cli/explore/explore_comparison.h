#pragma once
/// Comparison of the fronts of two explorations.

#include <string>
#include <vector>

#include "testbench/explore/problem.h"
#include "testbench/report/explore/explore_report.h"

namespace tributary {

/// The front of another exploration with the same objectives, in the units of the files; all are minimised.
struct OtherFront {
  std::string folder;
  std::vector<explore::Score> members;
};

/// Reads DIR/explore.json. Throws InputError without it, and if it lacks an objective.
OtherFront read_front(const std::string& folder, const explore::Problem& problem);

ExploreReport::Comparison compared(const ExploreReport& report, const OtherFront& other);

}  // namespace tributary
