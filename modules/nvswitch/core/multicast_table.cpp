#include "modules/nvswitch/core/multicast_table.h"

namespace tributary {

void MulticastTable::add(const MulticastRegion& region, const RouteTable& routes) {
  if (rows_.size() >= capacity_)
    throw std::length_error("the multicast table of a switch is full (" + std::to_string(capacity_) + " regions)");
  Row row{region, std::vector<PortMask>(routes.trunks(), 0), std::vector<WidePortMask>(routes.trunks(), 0),
          std::vector<std::uint16_t>(routes.trunks() * ports_, 0)};
  for (unsigned trunk = 0; trunk < routes.trunks(); ++trunk)
    for (const std::uint16_t member : region.members) {
      const unsigned port = routes.to_gpu(member, trunk);
      if (port < max_word_ports) row.outputs[trunk] |= port_bit(port);
      row.wide[trunk] |= port_bit<WidePortMask>(port);
      ++row.members_behind[trunk * ports_ + port];
    }
  rows_.push_back(row);
}

}  // namespace tributary
