#pragma once
/// Spanning trees without direction in parts of a link, found without any solver (matroid union).

#include <cstdint>
#include <optional>

#include "testbench/collective/packing/tree_packing.h"

namespace tributary::collective {

/// So many spanning trees of one unit each, no edge in more of them than `denominator` x its links; equal ones are one tree
/// of that weight. None when there are no such trees: by Tutte and Nash-Williams, when a partition of the nodes into parts
/// has fewer than trees x (parts - 1) units between them. Each tree has its centre as root. Trees begin as stars about the
/// nodes with most links left, by breadth; what they then lack comes by shortest chains of exchanges (J. Edmonds, 1968).
std::optional<TreePacking> forest_packing(const CapacityGraph& undirected, std::int64_t denominator, std::int64_t trees);

}  // namespace tributary::collective
