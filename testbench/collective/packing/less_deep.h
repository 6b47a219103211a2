#pragma once
/// Trees of a packing become less deep: pairs of them exchange edges, and edges with links to spare take the place of others.

#include "testbench/collective/packing/tree_packing.h"

namespace tributary::collective {

/// A packing of the same weights, and no more trees: the sum of heights becomes less, and at equal heights the sum of
/// the nodes' depths, until no exchange of two edges does that, or after so many trees looked at that graphs of 16 nodes
/// take some tenths of a second. Trees without direction (not `directed`) get their centres as roots. Equal ones become one.
TreePacking less_deep(const CapacityGraph& graph, TreePacking packing, bool directed);

}  // namespace tributary::collective
