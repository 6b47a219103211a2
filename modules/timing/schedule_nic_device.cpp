/// Devices with links of that protocol.

#include "modules/timing/windowed_device_impl.h"
#include "modules/protocol/schedule_nic.h"

namespace tributary {

template class BasicWindowedDevice<ScheduleNicLink>;

}  // namespace tributary
