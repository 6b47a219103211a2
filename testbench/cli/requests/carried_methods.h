#pragma once

#include <string>
#include <vector>

#include "testbench/run/family.h"

namespace tributary {

/// The methods that `run --platform NAME --collective C --algorithm A` takes without another option: each is asked what a
/// run asks before its platform stands. Throws SetupError, InputError: an unknown platform.
std::vector<Method> carried_methods(const std::string& platform);

}  // namespace tributary
