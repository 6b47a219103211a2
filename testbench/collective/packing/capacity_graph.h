#pragma once
/// Links with capacities, on which trees are packed, and the cut that bounds a packing from one root.

#include <cstdint>
#include <vector>

#include "platforms/topology/allocation.h"

namespace tributary::collective {

struct CapacityEdge {
  int from = 0, to = 0;
  int capacity = 0;  ///< links, each with the same rate in each direction
};

/// Directed, or each edge once where its direction does not matter.
struct CapacityGraph {
  int nodes = 0;
  std::vector<CapacityEdge> edges;
};

/// Both directions of each pair of ranks that has links.
CapacityGraph directed_links(const topology::Allocation& allocation);
/// Each pair once, the lower rank first.
CapacityGraph undirected_links(const topology::Allocation& allocation);

/// Whether every node is reached from `root` along the edges.
bool reaches_all(const CapacityGraph& directed, int root);

/// Nodes without the root, and what leads into them: no packing of trees from the root has a greater rate.
struct RootCut {
  std::int64_t capacity = 0;
  std::vector<int> nodes;  ///< ascending
};
/// The least of all: by Edmonds' theorem the greatest packing has this rate, in whole trees. Of at least two nodes.
RootCut least_cut(const CapacityGraph& directed, int root);

}  // namespace tributary::collective
