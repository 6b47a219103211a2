#include "testbench/family/schedule_nic/parameters.h"

namespace tributary {

std::unique_ptr<FamilyParameters> schedule_nic_parameters() { return std::make_unique<ParametersOf<NetworkParams>>(); }

}  // namespace tributary
