/// Instances of the templates for ports and transmitters of PCIe.

#include "modules/pcie/pcie_port.h"

#include "modules/link/link_port_impl.h"
#include "modules/timing/side_port_impl.h"

namespace tributary {

template class BasicLinkTransmitter<Pcie>;
template class BasicLinkPort<Pcie>;
template class BasicSidePort<Pcie>;

}  // namespace tributary
