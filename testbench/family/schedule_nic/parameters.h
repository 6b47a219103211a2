#pragma once

#include "platforms/schedule_nic/network_params.h"
#include "testbench/run/parameters.h"

namespace tributary {

/// NetworkParams with their defaults.
std::unique_ptr<FamilyParameters> schedule_nic_parameters();

}  // namespace tributary
