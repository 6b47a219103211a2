/// Instantiates ports and transmitters of the NVLink-like protocol.

#include "modules/link/link_port_impl.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

template class BasicLinkTransmitter<NvLink>;
template class BasicLinkPort<NvLink>;

}  // namespace tributary
