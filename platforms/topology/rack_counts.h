#pragma once
/// Racks of hosts by numbers, for machines whose names are those of other platforms.

#include "platforms/topology/racks.h"

namespace tributary::topology {

struct RackCounts {
  int racks = 1, hosts = 0;  ///< `hosts`: hosts per rack
  int accelerator_ports = 0, spines = 0;
};
/// Returns such racks. Nothing joins several racks without spines. The counts are not checked.
Racks racks(const RackCounts& counts);

}  // namespace tributary::topology
