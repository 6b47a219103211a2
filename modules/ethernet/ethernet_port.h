#pragma once
/// EthernetPort: one full-duplex Ethernet port of a device.

#include "modules/link/flow_control/pause.h"
#include "modules/link/link_port.h"
#include "modules/protocol/roce.h"

namespace tributary {

using EthernetTransmitter = BasicLinkTransmitter<EthernetLink>;
using EthernetPort = BasicLinkPort<EthernetLink>;

/// Returns 512 bit times, the unit of pauses (IEEE 802.3, annex 31B), in picoseconds.
constexpr Tick pause_quantum(Bandwidth rate) { return 64 * 1'000'000'000'000 / rate.value; }

}  // namespace tributary
