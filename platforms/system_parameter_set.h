#pragma once

#include "modules/base/parameter_set.h"
#include "platforms/system_params.h"

namespace tributary {

/// All parameters by path. Made here and nowhere else, for the compiler takes its time over so many fields. `params` must
/// outlive the set.
ParameterSet parameter_set(SystemParams& params);

}  // namespace tributary
