#pragma once
/// Cheapest spanning trees: directed from a root, and undirected.

#include <vector>

#include "testbench/collective/packing/capacity_graph.h"

namespace tributary::collective {

/// Numbers of edges, ascending.
using EdgeSet = std::vector<int>;

/// Returns the arborescence of least cost from `root` (Chu and Liu, Edmonds), in O(nodes x edges). Ties go to edges that
/// begin nearer to the root, then to lower edge numbers. `costs`: one for each edge, not negative. Throws std::logic_error
/// if the edges do not lead from the root to every node.
EdgeSet cheapest_arborescence(const CapacityGraph& directed, int root, const std::vector<double>& costs);

/// Returns the spanning tree of least cost (Kruskal). Ties go to lower edge numbers. Throws std::logic_error if the graph is
/// not connected.
EdgeSet cheapest_spanning_tree(const CapacityGraph& undirected, const std::vector<double>& costs);

/// A tree from its root, with each node's parent (-1 at the root) and depth. Edges of an undirected tree are directed away
/// from the root.
struct RootedTree {
  int root = 0;
  std::vector<int> parent, depth;

  int height() const;
};
/// Throws std::logic_error if the edges are no spanning tree, or if `along` is set and they do not lead away from the root.
RootedTree rooted_tree(const CapacityGraph& graph, const EdgeSet& edges, int root, bool along);

/// Returns the node from which the height of an undirected tree is least; ties go to the lowest node.
int centre(const CapacityGraph& undirected, const EdgeSet& edges);

}  // namespace tributary::collective
