#pragma once
/// Indirect networks of NICs (docs/systems/multitree.md#networks): every NIC has one link, to its switch.

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// One plane of a DGX-2, the `fat_tree_2level` of 16: `switch0` and `switch1` with 8 NICs each (`nic0` ...) and 8
/// trunks.
Graph dgx2_plane();

/// `leaf0` ... with `per_leaf` NICs each, and one link to each of `spines` switches `spine0` ...: NICs on ports 0 to
/// per_leaf - 1, spine j on port per_leaf + j; spine port l leads to leaf l.
Graph two_level_fat_tree(int leaves, int per_leaf, int spines);

/// EFLOPS BiGraph: `nics` on each of `switches` switches. Half of the switches are upper (`upper0` ...) and half lower;
/// each upper switch has one link to each lower one. NICs are on ports 0 to nics - 1. Throws TopologyError unless
/// `switches` is even and both are at least 1.
Graph bigraph(int nics, int switches);

}  // namespace tributary::topology
