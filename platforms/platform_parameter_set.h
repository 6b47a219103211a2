#pragma once

#include "modules/base/parameter_set.h"
#include "platforms/platform_params.h"

namespace tributary {

/// All parameters by path. Made here and nowhere else, for the compiler takes its time over so many fields. `params` must
/// outlive the set.
ParameterSet parameter_set(PlatformParams& params);

}  // namespace tributary
