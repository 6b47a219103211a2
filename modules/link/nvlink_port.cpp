/// Ports and transmitters of that protocol.

#include "modules/link/link_port_impl.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

template class BasicLinkTransmitter<NvLink>;
template class BasicLinkPort<NvLink>;

}  // namespace tributary
