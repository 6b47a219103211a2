#pragma once
/// Machines of GPUs round NVSwitches, with any number of links from a GPU to each switch, as planes.

#include <string>
#include <vector>

#include "modules/protocol/address_map.h"
#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Ports that an NVSwitch has at most.
inline constexpr int most_switch_links = 64;

/// Counts of full-duplex links.
struct SwitchLinks {
  std::vector<std::string> gpus, switches;  ///< names of the devices
  std::vector<std::vector<int>> of_gpu;     ///< [GPU][switch]
  std::vector<std::vector<int>> trunks;     ///< [switch][switch], symmetric
};

/// A graph whose switches have their planes, and how addresses spread over it.
struct SwitchPlanes {
  Graph graph;
  AddressMap::Shape shape;
};

/// Switches that trunks join are a plane; planes count by their first switch. In each plane a GPU has all its links at one
/// switch, and every GPU has as many as any other. GPUs that share their switches are a group; switches without GPUs are
/// spines, and each plane is a tree for every way that a packet may take (docs/platforms.md#machines-from-files).
/// Ports: link l of every GPU leads to the same plane, the planes in turn while they have links left. At a switch stand the
/// links of GPUs, GPU by GPU, then the trunks, by the other switch.
/// Throws TopologyError, one line that names the devices: GPUs that no plane joins, unlike GPUs, more than 18 links of a GPU
/// or 64 of a switch, ways that make no tree.
SwitchPlanes switch_planes(const SwitchLinks& machine);

}  // namespace tributary::topology
