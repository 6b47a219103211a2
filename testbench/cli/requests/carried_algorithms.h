#pragma once

#include <string>
#include <vector>

#include "testbench/cli/requests/input_files.h"
#include "testbench/run/family.h"

namespace tributary {

/// Returns the algorithms that `run --platform NAME --collective C --algorithm A` accepts without another option. Each one
/// passes the checks that a run makes before it builds its platform. Throws SetupError, or InputError for an unknown
/// platform.
std::vector<Algorithm> carried_algorithms(const std::string& platform, InputFiles& files);

}  // namespace tributary
