#pragma once
/// Fills a switch's routing table from the graph.

#include "modules/switching/core/route_table.h"
#include "platforms/topology/routes.h"

namespace tributary::topology {

/// Switches of a plane in the order of the graph: their place here is the `home_switch` of the address hash.
std::vector<int> plane_switches(const Graph& graph, int plane);

/// Shortest paths from the switch (a node number) to all GPUs and to the other switches of its plane, by trunk. Between
/// two spines there is no route: a packet that has gone down never goes up again
/// (docs/systems/klenk.md#virtual-channel-of-push-results). Where GPUs have several links to their switch, the trunk counts
/// these first: way = link + links x trunk.
RouteTable routing_table(const Graph& graph, const Routes& routes, int switch_number, unsigned ways, unsigned links = 1);

}  // namespace tributary::topology
