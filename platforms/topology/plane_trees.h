#pragma once
/// Whether packets of a block keep to one tree, as multicasts, their acks and reductions need.

#include "modules/protocol/address_map.h"
#include "platforms/topology/routes.h"

namespace tributary::topology {

/// For each way through the plane: all that GPUs send each other, and what they exchange with a switch that is home to blocks
/// of that way, keeps to one tree of links. Throws TopologyError, one line that names the switch.
void check_trees(const Graph& graph, const Routes& routes, int plane, const FabricPlane& shape);

}  // namespace tributary::topology
