#pragma once
/// Searches for the bottleneck of one run by reruns.

#include <cstddef>
#include <string>
#include <vector>

#include "testbench/cli/measured/measure_request.h"
#include "testbench/cli/sweep/sweep_folder.h"
#include "testbench/measure/finding.h"

namespace tributary {

struct MeasuredFinding {
  measure::Finding finding;
  std::string ended;  ///< reason why reruns are missing; empty if all ran
};

/// Knowledge about the run before the search.
struct KnownRun {
  double wall_s = 0;               ///< clock time of the run; 0: unknown
  std::vector<std::string> named;  ///< parameters that the run names, the bottleneck first
};

/// Runs the search. Prints the estimate and, on a terminal, the progress on standard error, unless the request is quiet.
/// This process must not have elaborated a platform. Throws InputError for settings that are not legal.
MeasuredFinding search_bottleneck(const MeasureRequest& request, const SweepFolder& folder, const KnownRun& run);

}  // namespace tributary
