#pragma once

#include "platforms/nvswitch/platform_params.h"
#include "testbench/run/parameters.h"

namespace tributary {

/// NvSwitchPlatformParams with their defaults.
std::unique_ptr<FamilyParameters> nvswitch_parameters();

}  // namespace tributary
