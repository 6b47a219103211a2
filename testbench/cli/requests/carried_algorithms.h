#pragma once

#include <string>
#include <vector>

#include "testbench/cli/requests/input_files.h"
#include "testbench/run/family.h"

namespace tributary {

/// An algorithm of a family, and the reason why a platform refuses it.
struct CheckedAlgorithm {
  Algorithm algorithm;
  std::string refusal;  ///< empty if the platform runs it
};

/// Returns all algorithms of the platform's family, checked as carried_algorithms() does.
std::vector<CheckedAlgorithm> checked_algorithms(const std::string& platform, InputFiles& files);

/// Returns the algorithms that `run --platform NAME --collective C --algorithm A` accepts for 1 MiB, with `--mode fluid`
/// on platforms without packets, and without another option. Each one passes the checks that a run makes before it builds
/// its platform. Throws SetupError, or InputError for an unknown platform.
std::vector<Algorithm> carried_algorithms(const std::string& platform, InputFiles& files);

}  // namespace tributary
