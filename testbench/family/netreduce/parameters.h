#pragma once

#include "platforms/netreduce/platform_params.h"
#include "testbench/run/parameters.h"

namespace tributary {

/// NetReducePlatformParams with their defaults.
std::unique_ptr<FamilyParameters> netreduce_parameters();

}  // namespace tributary
