#pragma once

#include "platforms/cluster/cluster_params.h"
#include "testbench/run/parameters.h"

namespace tributary {

/// ClusterParams with their defaults.
std::unique_ptr<FamilyParameters> cluster_parameters();

}  // namespace tributary
