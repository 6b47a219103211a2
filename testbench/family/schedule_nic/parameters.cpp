#include "testbench/family/schedule_nic/parameters.h"

namespace tributary {

std::unique_ptr<FamilyParameters> schedule_nic_parameters() {
  auto parameters = std::make_unique<ParametersOf<NetworkParams>>();
  parameters->old_prefix = "network.";
  return parameters;
}

}  // namespace tributary
