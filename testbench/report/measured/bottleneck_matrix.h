#pragma once
/// The bottlenecks of several set-ups side by side.

#include <string>
#include <vector>

#include "testbench/report/measured/measured_report.h"

namespace tributary {

struct FoundBottleneck {
  std::string name;  ///< name of the set-up
  measure::Finding finding;
  MeasuredContext context;
};

/// Returns a matrix of gains, parameters by set-ups, for the screen; empty for fewer than two set-ups, or more than a screen
/// holds.
std::string bottleneck_matrix(const std::vector<FoundBottleneck>& found);
/// Returns a page with a summary, the matrix and a section for each set-up.
std::string bottleneck_page(const std::vector<FoundBottleneck>& found);

}  // namespace tributary
