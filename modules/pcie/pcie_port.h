#pragma once
/// PcieSidePort: the PCIe port of a device whose other ports speak another protocol.

#include "modules/link/flow_control/credits.h"
#include "modules/pcie/pcie_protocol.h"
#include "modules/timing/side_port.h"

namespace tributary {

using PcieTransmitter = BasicLinkTransmitter<Pcie>;
using PciePort = BasicLinkPort<Pcie>;
using PcieSidePort = BasicSidePort<Pcie>;

}  // namespace tributary
