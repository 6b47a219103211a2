#pragma once
/// The fat tree of 128 GPUs (docs/systems/klenk.md#fat-tree).

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// 128 GPUs (nodes 0 to 127, `gpu0` ...) in 16 groups, 96 leaf switches (`leaf0_0` ... `leaf15_5`: group, plane) and 48
/// spine switches (`spine0_0` ... `spine7_5`: spine, plane) of 16 ports each: 2304 ports. Leaf port 8 + j goes up to spine j
/// of its plane, spine port g down to the leaf of group g; the 6 planes are disjoint. 768 access links, 768 uplinks.
Graph fat_tree();

}  // namespace tributary::topology
