#pragma once
/// undirected_packing: the greatest fractional packing of undirected spanning trees, with the partition that proves it.

#include <vector>

#include "testbench/collective/packing/packing_ilp.h"

namespace tributary::collective {

/// A partition of the nodes, with the number of links between different parts. Every spanning tree uses at least parts - 1
/// of these links, so that no packing has a rate above crossing / (parts - 1) (Tutte, Nash-Williams).
struct PartitionBound {
  std::vector<int> part;  ///< [node] part, from 0
  int parts = 1;
  std::int64_t crossing = 0;

  Fraction rate() const { return {crossing, parts - 1}; }
};

struct UndirectedPacking {
  std::vector<Candidate> trees;  ///< columns of the linear program, each rooted at its centre
  TreePacking best;              ///< greatest packing of these trees
  PartitionBound bound;          ///< partition with the same rate
};

/// Returns an undirected tree with its centre as root.
Candidate at_centre(const CapacityGraph& undirected, EdgeSet edges);

/// Solves a linear program over trees by column generation: Kruskal's algorithm prices columns by the duals (Clp). Nodes
/// that are joined by edges with a dual of zero are in one part of the bound. The graph must be connected and have at least
/// two nodes. Throws PackingError if the rate of the program is not that of the bound.
UndirectedPacking undirected_packing(const CapacityGraph& undirected);

}  // namespace tributary::collective
