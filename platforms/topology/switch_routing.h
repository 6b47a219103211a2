#pragma once
/// Builds a switch's routing table from the graph.

#include "modules/switching/core/route_table.h"
#include "platforms/topology/routes.h"

namespace tributary::topology {

/// Returns the switches of a plane of an island in graph order; the index is the `home_switch` of the address hash.
std::vector<int> plane_switches(const Graph& graph, int plane, int island = 0);

/// Builds shortest paths from a switch (a node number) to all GPUs of its island and, by trunk, to the other switches of its
/// plane. `routes`: routes of the island. GPUs of other islands have no route.
/// There is no route between two spines: a packet that has gone down never goes up again
/// (docs/systems/klenk.md#virtual-channel-of-push-results). If GPUs have several links to their switch, the link is the
/// lower digit of the route number: route = link + links x trunk.
RouteTable routing_table(const Graph& graph, const Routes& routes, int switch_number, unsigned route_count,
                         unsigned links = 1);

}  // namespace tributary::topology
