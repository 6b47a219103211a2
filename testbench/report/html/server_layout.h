#pragma once
/// Positions of the devices of a cluster: servers next to each other, below the switches of their network.

#include "platforms/topology/graph.h"
#include "testbench/report/html/topology_layout.h"

namespace tributary::html {

/// Makes the spots of a graph whose last island is the network between servers, and places them. A server has a row of NICs,
/// one of GPUs and one of NVSwitches. In large clusters each of these rows is drawn as one spot.
void place_servers(const topology::Graph& graph, Layout& layout);

}  // namespace tributary::html
