#include "modules/pcie/pcie_link.h"

#include <cmath>

namespace tributary {

unsigned PcieLink::buffer() const {
  const double round_trip = 2 * static_cast<double>(latency.value) * static_cast<double>(rate.value) * 1e-12;
  return static_cast<unsigned>(std::ceil(round_trip)) + 2 * framing.wire_bytes(burst);
}

PcieSidePort::Config PcieLink::port(const Arena& arena) const {
  PcieSidePort::Config config;
  config.link.rate = rate;
  config.link.latency = latency;
  config.flow_control = buffer();
  config.max_flits = framing.wire_bytes(burst);
  config.arena = arena;
  return config;
}

}  // namespace tributary
