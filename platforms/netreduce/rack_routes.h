#pragma once
/// Routes of the switches of racks.

#include <cstdint>

#include "modules/ethernet_switch/core/ethernet_routes.h"
#include "platforms/topology/racks.h"

namespace tributary {

/// Returns the routes of the leaf of a rack: to its hosts and its accelerator, and over all spines to other racks. `seed`:
/// choice among spines.
EthernetRoutes leaf_routes(const topology::Racks& racks, int rack, std::uint64_t seed);
/// Sums of a rack go to that port of the spine's accelerator which represents the rack. A rule selects it, because the
/// accelerator's station has many ports.
EthernetRoutes spine_routes(const topology::Racks& racks, int spine, std::uint64_t seed);

}  // namespace tributary
