#pragma once
/// Trees over the ranks of a collective.

#include <vector>

namespace tributary::collective {

/// parent[r] of the root is no_rank; children in ascending order of their label in the tree.
struct Tree {
  std::vector<int> parent;
  std::vector<std::vector<int>> children;

  int root() const;
  int height() const;  ///< links from the root to the deepest rank
};

/// Each rank hands on to the next: root, root + 1 ... (modulo `ranks`).
Tree path_tree(int ranks, int root);

/// Two binary trees of height about log2(ranks) in which every rank is inner in at most one, so that each rank forwards one
/// half of a message only (Sanders, Speck, Traff, Parallel Computing 35, 2009; NCCL uses such trees).
std::vector<Tree> double_binary_trees(int ranks);

/// The same over all ranks but `root`, which becomes the parent of both roots.
std::vector<Tree> double_binary_trees_below(int ranks, int root);

}  // namespace tributary::collective
