/// Instantiates devices with links of schedule NICs.

#include "modules/timing/windowed_device_impl.h"
#include "modules/protocol/schedule_nic.h"

namespace tributary {

template class BasicWindowedDevice<ScheduleNicLink>;

}  // namespace tributary
