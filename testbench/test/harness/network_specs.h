#pragma once
/// Short forms of the runs on a network of schedule NICs.

#include <string>
#include <vector>

#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary {

/// A run on all nodes, with tables of as many rows as the schedule needs.
RunSpec network_spec(const std::string& platform, const std::string& collective, const std::string& algorithm,
                     const std::vector<Bytes>& sizes, std::vector<std::string> settings = {});
/// Calls check_modes() for every algorithm that the platform supports.
void check_platform(const std::string& platform, const std::vector<std::string>& settings = {},
                    const std::vector<Bytes>& sizes = {4_B, 3000_B, 40_KiB});
/// Returns the time of a run in ns; the run has no data.
double ns(const RunSpec& spec);

}  // namespace tributary
