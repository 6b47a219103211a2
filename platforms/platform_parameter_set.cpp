#include "platforms/platform_parameter_set.h"

namespace tributary {

ParameterSet parameter_set(PlatformParams& params) { return ParameterSet(params); }

}  // namespace tributary
