/// Switches with more than 16 ports.

#include "modules/nvswitch/core/switch_core_impl.h"

namespace tributary {

template class BasicSwitchCore<64>;
template class BasicSwitchCore<128>;

}  // namespace tributary
