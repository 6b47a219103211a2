#pragma once
/// PcieLink: a PCIe link between a GPU and its NIC: its times and sizes.

#include "modules/pcie/pcie_framing.h"
#include "modules/pcie/pcie_port.h"

namespace tributary {

struct PcieLink {
  Bandwidth rate = bytes_per_second(57'600'000'000);  ///< for TLPs, in each direction
  Time latency = 190_ns;                              ///< from header out to header in
  PcieFraming framing{};
  unsigned burst = 4096;  ///< largest payload of a packet

  /// Returns the time from the first bit out of one end to the last bit in at the other.
  Tick crossing(unsigned payload_bytes) const {
    Serializer wire(rate, Pcie::flit_bytes);
    return latency.value + wire.serve(0, framing.wire_bytes(payload_bytes));
  }
  /// Returns the bytes of a receiver's buffer for a VC: it covers a round trip, and two bursts.
  unsigned buffer() const;
  PcieSidePort::Config port(const Arena& arena = {}) const;
};

}  // namespace tributary
