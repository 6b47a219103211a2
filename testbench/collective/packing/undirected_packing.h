#pragma once
/// The greatest fractional packing of spanning trees without direction, with the partition that proves it.

#include <vector>

#include "testbench/collective/packing/packing_ilp.h"

namespace tributary::collective {

/// Parts of the nodes, with the links between different parts: every spanning tree uses at least parts - 1 of these, so no
/// packing has a greater rate than their quotient (Tutte, Nash-Williams).
struct PartitionBound {
  std::vector<int> part;  ///< of each node, from 0
  int parts = 1;
  std::int64_t crossing = 0;

  Fraction rate() const { return {crossing, parts - 1}; }
};

struct UndirectedPacking {
  std::vector<Candidate> trees;  ///< columns of the linear program, each rooted at its centre
  TreePacking best;              ///< their greatest packing
  PartitionBound bound;          ///< of the same rate
};

/// A tree whose direction does not matter, from its centre.
Candidate at_centre(const CapacityGraph& undirected, EdgeSet edges);

/// A linear program over trees, whose columns are priced by Kruskal under its duals (Clp). Edges with a dual of zero join
/// the parts of the bound. The graph must be connected, of at least two nodes. Throws PackingError unless the rate of the
/// program is that of the bound.
UndirectedPacking undirected_packing(const CapacityGraph& undirected);

}  // namespace tributary::collective
