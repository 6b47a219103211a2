#pragma once
/// Islands: several equal machines in one graph.

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Returns `count` copies of a machine, one after another, each an island of its own. GPUs are numbered and named through,
/// `gpu16`; other nodes of a copy are named by server, `server1_switch0_2`, if there are several. Throws
/// std::invalid_argument for less than one copy.
Graph islands(const Graph& machine, int count);

}  // namespace tributary::topology
