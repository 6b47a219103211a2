#include "testbench/family/nvswitch/parameters.h"

namespace tributary {

std::unique_ptr<FamilyParameters> nvswitch_parameters() {
  auto parameters = std::make_unique<ParametersOf<NvSwitchPlatformParams>>();
  parameters->old_prefix = "";
  return parameters;
}

}  // namespace tributary
