/// Instantiates devices with links of schedule NICs.

#include "modules/protocol/schedule_nic.h"
#include "modules/timing/windowed_device_impl.h"

namespace tributary {

template class BasicWindowedDevice<ScheduleNicLink>;

}  // namespace tributary
