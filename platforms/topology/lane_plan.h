#pragma once
/// LanePlan: the devices of a machine in groups that run on threads of their own (docs/parallel.md).

#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::topology {

struct LanePlan {
  unsigned count = 1;
  std::vector<unsigned> of_node = {};  ///< lane of each node; empty: all nodes are in lane 0

  unsigned lane(int node) const { return of_node.empty() ? 0 : of_node.at(static_cast<std::size_t>(node)); }
};

/// Divides the nodes into at most `lanes` lanes of similar weight, which is the number of links of their nodes. Groups
/// (boards, leaf groups, racks) stay together if there are enough of them; otherwise their GPUs and switches are divided in
/// proportion. Switches above all groups are dealt out in turn. Nodes of a direct network stay in blocks of consecutive
/// numbers, which are rows of a grid.
LanePlan partition(const Graph& graph, unsigned lanes);

}  // namespace tributary::topology
