#pragma once
/// Cheapest spanning trees: from a root along directed edges, and without direction.

#include <vector>

#include "testbench/collective/packing/capacity_graph.h"

namespace tributary::collective {

/// Numbers of edges, ascending.
using EdgeSet = std::vector<int>;

/// The arborescence of least cost from `root` (Chu and Liu, Edmonds), O(nodes x edges). Of equal ones that whose edges
/// begin nearer to the root, then with lower numbers. Costs are per edge, not negative. Throws std::logic_error unless the
/// edges lead from the root to every node.
EdgeSet cheapest_arborescence(const CapacityGraph& directed, int root, const std::vector<double>& costs);

/// The spanning tree of least cost (Kruskal); of equal ones lower edge numbers. Throws std::logic_error unless the
/// graph is connected.
EdgeSet cheapest_spanning_tree(const CapacityGraph& undirected, const std::vector<double>& costs);

/// A tree from its root: each node's parent (-1 at the root) and depth. Edges of an undirected tree are turned away from
/// the root.
struct RootedTree {
  int root = 0;
  std::vector<int> parent, depth;

  int height() const;
};
/// Throws std::logic_error unless the edges are a tree that spans all nodes, and, where `along`, lead away from the root.
RootedTree rooted_tree(const CapacityGraph& graph, const EdgeSet& edges, int root, bool along);

/// The node from which an undirected tree is least high; of equal ones the lowest.
int centre(const CapacityGraph& undirected, const EdgeSet& edges);

}  // namespace tributary::collective
