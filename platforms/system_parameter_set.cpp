#include "platforms/system_parameter_set.h"

namespace tributary {

ParameterSet parameter_set(SystemParams& params) { return ParameterSet(params); }

}  // namespace tributary
