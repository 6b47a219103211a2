#include "testbench/family/cluster/parameters.h"

namespace tributary {

std::unique_ptr<FamilyParameters> cluster_parameters() { return std::make_unique<ParametersOf<ClusterParams>>(); }

}  // namespace tributary
