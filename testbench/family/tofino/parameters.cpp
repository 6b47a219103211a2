#include "testbench/family/tofino/parameters.h"

namespace tributary {

std::unique_ptr<FamilyParameters> tofino_parameters() { return std::make_unique<ParametersOf<TofinoPlatformParams>>(); }

}  // namespace tributary
