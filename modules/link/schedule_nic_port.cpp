/// Instantiates ports and transmitters of schedule NICs.

#include "modules/link/link_port_impl.h"
#include "modules/protocol/schedule_nic.h"

namespace tributary {

template class BasicLinkTransmitter<ScheduleNicLink>;
template class BasicLinkPort<ScheduleNicLink>;

}  // namespace tributary
