#include "modules/nvswitch/core/switch_core.h"

#include "modules/nvswitch/core/switch_core_impl.h"

namespace tributary {

template class BasicSwitchCore<16>;

}  // namespace tributary
