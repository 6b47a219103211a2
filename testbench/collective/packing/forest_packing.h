#pragma once
/// forest_packing: undirected spanning trees with weights in fractions of a link, found without a solver (matroid union).

#include <cstdint>
#include <optional>

#include "testbench/collective/packing/tree_packing.h"

namespace tributary::collective {

/// Returns `trees` spanning trees of one unit each, so that no edge is in more than `denominator` x (its links) of them.
/// Equal trees are merged into one with the sum of their weights. The root of each tree is its centre. Returns nothing if
/// there are no such trees: by Tutte and Nash-Williams, if some partition of the nodes into parts has fewer than trees x
/// (parts - 1) units between the parts. Trees begin as breadth-first trees from the node with most links left, and are
/// completed by shortest chains of exchanges (J. Edmonds, 1968).
std::optional<TreePacking> forest_packing(const CapacityGraph& undirected, std::int64_t denominator, std::int64_t trees);

}  // namespace tributary::collective
