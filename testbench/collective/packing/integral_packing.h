#pragma once
/// integral_packing: the greatest packing of directed trees with integral weights, found without a solver (Edmonds' theorem
/// by Lovasz' proof).

#include "testbench/collective/packing/tree_packing.h"

namespace tributary::collective {

/// Returns arborescences from `root` whose number is the capacity of least_cut(), so that no edge is used more often than it
/// has links. Equal trees are merged into one with the sum of their weights. Trees are made one after another, each breadth
/// first and with the greatest possible weight. A tree uses an edge only if the remaining edges still have the flow to the
/// end of that edge that later trees need. O(trees x edges) maximum flows.
TreePacking integral_packing(const CapacityGraph& directed, int root);

}  // namespace tributary::collective
