#pragma once
/// Tree: trees over the ranks of a collective.

#include <vector>

namespace tributary::collective {

/// The parent of the root is no_rank. Children are in ascending order of their label in the tree.
struct Tree {
  std::vector<int> parent;
  std::vector<std::vector<int>> children;

  int root() const;
  int height() const;  ///< links from the root to the deepest rank
};

/// Returns the path root, root + 1 ... (modulo `ranks`).
Tree path_tree(int ranks, int root);

/// Returns two binary trees of height about log2(ranks). Every rank is an inner node of at most one tree, so that it
/// forwards only one half of a message (Sanders, Speck, Traff, Parallel Computing 35, 2009; NCCL uses such trees).
std::vector<Tree> double_binary_trees(int ranks);

/// Returns such trees over all ranks except `root`, which becomes the parent of both roots.
std::vector<Tree> double_binary_trees_below(int ranks, int root);

}  // namespace tributary::collective
