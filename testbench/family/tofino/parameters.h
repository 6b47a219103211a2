#pragma once

#include "platforms/tofino/platform_params.h"
#include "testbench/run/parameters.h"

namespace tributary {

/// TofinoPlatformParams with their defaults.
std::unique_ptr<FamilyParameters> tofino_parameters();

}  // namespace tributary
