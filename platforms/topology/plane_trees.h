#pragma once
/// Checks that packets of a block stay on one tree, as multicasts, their acks and reductions require.

#include "modules/protocol/address_map.h"
#include "platforms/topology/routes.h"

namespace tributary::topology {

/// Checks each route number of the plane: all packets between GPUs, and between GPUs and the home switch of blocks with
/// this route number, must use one tree of links. Throws TopologyError (one line, naming the switch).
void check_trees(const Graph& graph, const Routes& routes, int plane, const FabricPlane& shape);

}  // namespace tributary::topology
