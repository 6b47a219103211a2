#pragma once
/// CapacityGraph: links with capacities into which trees are packed, and the cut that bounds a packing from one root.

#include <cstdint>
#include <vector>

#include "platforms/topology/allocation.h"

namespace tributary::collective {

struct CapacityEdge {
  int from = 0, to = 0;
  int capacity = 0;  ///< links, each with the same rate in each direction
};

/// A directed graph, or an undirected one that has each edge once.
struct CapacityGraph {
  int nodes = 0;
  std::vector<CapacityEdge> edges;
};

/// Returns both directions of each pair of ranks that has links.
CapacityGraph directed_links(const topology::Allocation& allocation);
/// Returns each pair of ranks that has links once, with the lower rank first.
CapacityGraph undirected_links(const topology::Allocation& allocation);

/// True if every node can be reached from `root` along the edges.
bool reaches_all(const CapacityGraph& directed, int root);

/// A set of nodes without the root. No packing of trees from the root has a greater rate than the capacity into the set.
struct RootCut {
  std::int64_t capacity = 0;
  std::vector<int> nodes;  ///< ascending
};
/// Returns the cut of least capacity. By Edmonds' theorem the greatest packing has this rate, with integral weights. The
/// graph must have at least two nodes.
RootCut least_cut(const CapacityGraph& directed, int root);

}  // namespace tributary::collective
