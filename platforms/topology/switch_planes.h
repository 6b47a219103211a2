#pragma once
/// Divides a machine of GPUs and NVSwitches, with any number of links from a GPU to each switch, into planes.

#include <string>
#include <vector>

#include "modules/protocol/address_map.h"
#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Maximum number of ports of an NVSwitch: of NVLink 4 and older, and of NVLink 5.
inline constexpr int most_links_to_4 = 64, most_switch_links = 72;

/// Numbers of full-duplex links.
struct SwitchLinks {
  std::vector<std::string> gpus, switches;  ///< names of the devices
  std::vector<std::vector<int>> of_gpu;     ///< [GPU][switch]
  std::vector<std::vector<int>> trunks;     ///< [switch][switch], symmetric
  bool all_trunks = false;                  ///< the source lists all trunks, so that none is assumed
  int most_links = most_links_to_4;         ///< of a switch
};

/// A graph whose switches have planes, and the shape of the address interleaving over it.
struct SwitchPlanes {
  Graph graph;
  AddressMap::Shape shape;
};

/// Switches that trunks connect form a plane; planes are numbered by their first switch. In each plane a GPU has all
/// its links at one switch, and every GPU has the same number of links. GPUs that share their switches are a group;
/// switches without GPUs are spines; and each plane is a tree for every route of a packet
/// (docs/platforms.md#machines-from-files).
/// Ports: link l of every GPU leads to the same plane, cycling through the planes that have links left. A switch has
/// first the links of GPUs, GPU by GPU, then the trunks, by the other switch.
/// Throws TopologyError (one line that names the devices): GPUs that no plane connects, unequal GPUs, more than 18
/// links of a GPU or `most_links` of a switch, routes that form no tree.
SwitchPlanes switch_planes(const SwitchLinks& machine);

}  // namespace tributary::topology
