#include "testbench/family/nvswitch/parameters.h"

namespace tributary {

std::unique_ptr<FamilyParameters> nvswitch_parameters() { return std::make_unique<ParametersOf<NvSwitchPlatformParams>>(); }

}  // namespace tributary
