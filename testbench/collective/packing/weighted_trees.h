#pragma once
/// WeightedTree: trees that share a message in proportion to their weights.

#include <cstdint>
#include <vector>

#include "testbench/collective/packing/tree_packing.h"
#include "testbench/collective/tree/tree.h"

namespace tributary::collective {

/// The use of trees by a collective.
enum class TreeUse : std::uint8_t {
  broadcast,       ///< the message goes down
  reduce,          ///< the message goes up with sums
  allreduce,       ///< the message goes up with sums, and down again
  gather,          ///< each rank's slice goes up to the root
  allgather,       ///< each rank's slice goes from the rank along all edges of the tree
  reduce_scatter,  ///< each rank's slice goes along all edges of the tree to the rank, with sums
};

/// A tree from its root. It carries units / (sum of the units of all trees) of the message.
struct WeightedTree {
  Tree tree;
  std::int64_t units = 1;
  int group = 0;  ///< trees of one group share the streams of their common edges
};

/// Returns the trees of a packing, each as a separate group. `directed`: edges lead away from the root.
std::vector<WeightedTree> weighted_trees(const CapacityGraph& graph, const TreePacking& packing, bool directed);

/// Returns trees for GPUs at a switch (Wang et al., 3.5): tree i has root i, and all other ranks are one hop below it.
std::vector<WeightedTree> one_hop_trees(int ranks);

/// Returns trees for one root at a switch: one tree for each other rank, which receives from the root and forwards to all
/// other ranks. The root sends the message once, and every other rank sends it at most once. Two ranks have one hop.
std::vector<WeightedTree> two_hop_trees(int ranks, int root);

/// Returns the trees of a collective at a switch: two hops for a broadcast or reduce, the root's one-hop tree for a gather,
/// and all one-hop trees otherwise.
std::vector<WeightedTree> switch_trees(TreeUse use, int ranks, int root);

/// Returns one chain for ranks below PCIe switches in the order of their PCIe addresses: it crosses each uplink and the link
/// between sockets at most once in each direction. The chain starts at `root` and continues from the last rank to the first.
std::vector<WeightedTree> chain_from(int ranks, int root);
/// Returns the chain with its root in the middle, for chunks that go up and down: it is half as deep.
std::vector<WeightedTree> chain_from_middle(int ranks);

/// Returns the tree with the same edges and another root.
Tree rerooted(const Tree& tree, int root);

/// Returns the depth of each rank below the root; -1 for ranks outside the tree.
std::vector<int> depths(const Tree& tree, int root);

}  // namespace tributary::collective
