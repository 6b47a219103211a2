#include "platforms/netreduce/rack_routes.h"

#include <vector>

namespace tributary {
namespace {

std::uint16_t address(int of) { return static_cast<std::uint16_t>(of); }

}  // namespace

EthernetRoutes leaf_routes(const topology::Racks& racks, int rack, std::uint64_t seed) {
  EthernetRoutes routes(seed);
  std::vector<unsigned> up;
  up.reserve(static_cast<std::size_t>(racks.spines));
  for (int s = 0; s < racks.spines; ++s) up.push_back(static_cast<unsigned>(racks.spine_port(s)));
  for (int h = 0; h < racks.all_hosts(); ++h)
    routes.set(address(h), racks.rack_of(h) == rack ? std::vector<unsigned>{static_cast<unsigned>(h % racks.hosts)} : up);
  if (racks.accelerators() == 0) return routes;
  const auto uplink = static_cast<unsigned>(racks.accelerator_port(racks.accelerator_ports - 1));
  for (int r = 0; r < racks.racks; ++r)
    routes.set(address(racks.leaf_station(r)), r == rack ? std::vector<unsigned>{uplink} : up);
  for (int s = 0; s < racks.spines; ++s)
    routes.set(address(racks.spine_station(s)), {static_cast<unsigned>(racks.spine_port(s))});
  return routes;
}

EthernetRoutes spine_routes(const topology::Racks& racks, int spine, std::uint64_t seed) {
  EthernetRoutes routes(seed);
  for (int h = 0; h < racks.all_hosts(); ++h) routes.set(address(h), {static_cast<unsigned>(racks.rack_of(h))});
  if (racks.accelerators() == 0) return routes;
  for (int r = 0; r < racks.racks; ++r) routes.set(address(racks.leaf_station(r)), {static_cast<unsigned>(r)});
  routes.set(address(racks.spine_station(spine)), {static_cast<unsigned>(racks.spine_accelerator_port(0))});
  return routes;
}

}  // namespace tributary
