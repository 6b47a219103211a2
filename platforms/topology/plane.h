#pragma once
/// One plane of a machine of GPUs as a network: what algorithms that follow the network are built on.

#include <string>

#include "platforms/topology/network.h"

namespace tributary::topology {

/// The GPUs, the switches of plane 0 and the links between them; all planes are alike, and a message spreads over them by
/// its addresses. GPUs keep their numbers, and are the nodes 0 to N - 1. Two joined switches with equally many GPUs are a
/// BiGraph of one upper and one lower switch. The plane of `dgx2` is the `fat_tree_2level:16`. Throws TopologyError when the
/// machine's GPUs do not come first.
Network plane(const std::string& name, const Graph& machine);

}  // namespace tributary::topology
