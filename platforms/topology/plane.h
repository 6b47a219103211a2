#pragma once
/// Builds one plane of a GPU machine as a network, for algorithms that follow the network's topology.

#include <string>

#include "platforms/topology/network.h"

namespace tributary::topology {

/// Returns the GPUs, the switches of plane 0 and the links between them. All planes are equal, and a message spreads
/// over them by address. GPUs keep their numbers and are the nodes 0 to N - 1. Two linked switches with equal numbers
/// of GPUs form a BiGraph of one upper and one lower switch. The plane of `dgx2` is `fat_tree_2level:16`. Throws
/// TopologyError if the machine's GPUs do not come first.
Network plane(const std::string& name, const Graph& machine);

}  // namespace tributary::topology
