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
  const auto set = [&](int station, bool own, unsigned port) {
    if (own) routes.set(address(station), {port});
    if (!own && !up.empty()) routes.set(address(station), up);  // without spines, other racks are out of reach
  };
  for (int h = 0; h < racks.all_hosts(); ++h) set(h, racks.rack_of(h) == rack, static_cast<unsigned>(h % racks.hosts));
  if (racks.accelerators() == 0) return routes;
  const auto uplink = static_cast<unsigned>(racks.accelerator_port(racks.accelerator_ports - 1));
  for (int r = 0; r < racks.racks; ++r) set(racks.leaf_station(r), r == rack, uplink);
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
