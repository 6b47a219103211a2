#pragma once
/// Trees that share a message by weight.

#include <cstdint>
#include <vector>

#include "testbench/collective/packing/tree_packing.h"
#include "testbench/collective/tree/tree.h"

namespace tributary::collective {

/// What a collective does with trees.
enum class TreeUse : std::uint8_t {
  broadcast,       ///< down
  reduce,          ///< up, with sums
  allreduce,       ///< up with sums, and down again
  gather,          ///< each rank's part up to the root
  allgather,       ///< each rank's part from there along all edges of the tree
  reduce_scatter,  ///< each rank's part of the sum along all edges of the tree to that rank, with sums
};

/// A tree from its root, and its share of the message: units over those of all trees.
struct WeightedTree {
  Tree tree;
  std::int64_t units = 1;
  int group = 0;  ///< trees of one group share the streams of their common edges
};

/// The trees of a packing, each a group of its own. `directed`: edges lead away from the root.
std::vector<WeightedTree> weighted_trees(const CapacityGraph& graph, const TreePacking& packing, bool directed);

/// Tree i has root i, and all other ranks one hop below it: for GPUs that a switch joins (Wang et al., 3.5).
std::vector<WeightedTree> one_hop_trees(int ranks);

/// For one root behind a switch: of each other rank a tree in which the root hands it what it hands to all others. The root
/// sends the message once, as every other rank does at most; two ranks have one hop.
std::vector<WeightedTree> two_hop_trees(int ranks, int root);

/// Of a collective: one hop, two for the one root of a broadcast or reduce; of a gather the root's tree alone.
std::vector<WeightedTree> switch_trees(TreeUse use, int ranks, int root);

/// One chain for ranks below PCIe switches, in the order of their PCIe addresses: it crosses each uplink, and the link
/// between sockets, at most once in each direction. From `root` on, and from the last rank to the first.
std::vector<WeightedTree> chain_from(int ranks, int root);
/// The same for chunks that go up and down: from the middle both ways, half as deep.
std::vector<WeightedTree> chain_from_middle(int ranks);

/// The same edges, turned away from `root`.
Tree rerooted(const Tree& tree, int root);

/// Depth of each rank below the root; -1: not in the tree.
std::vector<int> depths(const Tree& tree, int root);

}  // namespace tributary::collective
