#pragma once
/// Whole trees, as many as the least cut allows, found without any solver (Edmonds' theorem by Lovasz' proof).

#include "testbench/collective/packing/tree_packing.h"

namespace tributary::collective {

/// As many arborescences as least_cut() says, no edge used more often than it has links; equal ones are one tree of that
/// weight. One after another, each by breadth and of the greatest weight that goes: a tree takes an edge when what it leaves
/// still has flows to its end that the trees to come need. O(trees x edges) maximum flows.
TreePacking integral_packing(const CapacityGraph& directed, int root);

}  // namespace tributary::collective
