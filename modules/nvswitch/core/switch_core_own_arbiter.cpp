/// Switches whose crossbar asks the arbiter of a user.

#include "modules/nvswitch/core/switch_core_impl.h"

namespace tributary {

template class BasicSwitchCore<16, true>;
template class BasicSwitchCore<64, true>;
template class BasicSwitchCore<128, true>;

}  // namespace tributary
