/// Switches with more than 16 ports.

#include "modules/nvswitch/core/switch_crossbar_impl.h"
#include "modules/nvswitch/core/switch_inputs_impl.h"
#include "modules/nvswitch/core/switch_report_impl.h"
#include "modules/nvswitch/core/switch_stages_impl.h"

namespace tributary {

template class BasicSwitchCore<64>;

}  // namespace tributary
