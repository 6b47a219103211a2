/// Instances of the templates for ports and transmitters of Ethernet.

#include "modules/ethernet/ethernet_port.h"

#include "modules/link/link_port_impl.h"

namespace tributary {

template class BasicLinkTransmitter<EthernetLink>;
template class BasicLinkPort<EthernetLink>;

}  // namespace tributary
