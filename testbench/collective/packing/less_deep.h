#pragma once
/// less_deep: reduces the depth of the trees of a packing, by exchanges of edges between trees and with spare edges.

#include "testbench/collective/packing/tree_packing.h"

namespace tributary::collective {

/// Returns a packing with the same weights and no more trees. Each exchange of two edges reduces the sum of heights, or the
/// sum of the nodes' depths at equal heights. The search ends if no exchange does that, or after a fixed number of trees
/// that needs some tenths of a second for 16 nodes. Roots of undirected trees become their centres. Equal trees are merged.
TreePacking less_deep(const CapacityGraph& graph, TreePacking packing, bool directed);

}  // namespace tributary::collective
