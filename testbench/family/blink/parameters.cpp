#include "testbench/family/blink/parameters.h"

namespace tributary {

std::unique_ptr<FamilyParameters> blink_parameters() { return std::make_unique<ParametersOf<BlinkParams>>(); }

}  // namespace tributary
