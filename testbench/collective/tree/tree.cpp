#include "testbench/collective/tree/tree.h"

#include <algorithm>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {
namespace {

Tree bare_tree(int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  return {std::vector<int>(n, no_rank), std::vector<std::vector<int>>(n)};
}

void link(Tree& tree, int parent, int child) {
  tree.parent[static_cast<std::size_t>(child)] = parent;
  tree.children[static_cast<std::size_t>(parent)].push_back(child);
}

constexpr int lowest_bit(int label) { return label & -label; }

/// Returns the parent of a label in the in-order binary tree over the labels 1 to n; 0 for the root. Odd labels are leaves,
/// a label with k trailing zeros is at height k, and parents above n are skipped.
int parent_label(int label, int n) {
  int root = 1;
  while (2 * root <= n) root *= 2;
  if (label == root) return 0;
  do {
    const int bit = lowest_bit(label);
    label = (label ^ bit) | (bit << 1);
  } while (label > n);
  return label;
}

/// Returns the in-order binary tree in which label l belongs to rank rank_of[l - 1].
Tree in_order_tree(const std::vector<int>& rank_of, int ranks) {
  Tree tree = bare_tree(ranks);
  const auto n = static_cast<int>(rank_of.size());
  for (int label = 1; label <= n; ++label)
    if (const int parent = parent_label(label, n))
      link(tree, rank_of[static_cast<std::size_t>(parent - 1)], rank_of[static_cast<std::size_t>(label - 1)]);
  return tree;
}

/// Even labels are inner nodes. The second tree mirrors the labels if their number is even, and shifts them by one if it is
/// odd: each even label becomes an odd one, or the last label, which is odd too.
std::vector<Tree> two_trees(const std::vector<int>& members, int ranks) {
  std::vector<int> other = members;
  if (members.size() % 2 == 0)
    std::reverse(other.begin(), other.end());
  else
    std::rotate(other.begin(), other.begin() + 1, other.end());
  return {in_order_tree(members, ranks), in_order_tree(other, ranks)};
}

std::vector<int> ranks_but(int ranks, int left_out) {
  std::vector<int> members;
  for (int r = 0; r < ranks; ++r)
    if (r != left_out) members.push_back(r);
  return members;
}

}  // namespace

int Tree::root() const { return static_cast<int>(std::find(parent.begin(), parent.end(), no_rank) - parent.begin()); }

int Tree::height() const {
  int height = 0;
  for (std::size_t r = 0; r < parent.size(); ++r) {
    int depth = 0;
    for (int up = parent[r]; up != no_rank; up = parent[static_cast<std::size_t>(up)]) ++depth;
    height = std::max(height, depth);
  }
  return height;
}

Tree path_tree(int ranks, int root) {
  Tree tree = bare_tree(ranks);
  for (int i = 0; i + 1 < ranks; ++i) link(tree, (root + i) % ranks, (root + i + 1) % ranks);
  return tree;
}

std::vector<Tree> double_binary_trees(int ranks) { return two_trees(ranks_but(ranks, no_rank), ranks); }

std::vector<Tree> double_binary_trees_below(int ranks, int root) {
  const std::vector<int> members = ranks_but(ranks, root);
  std::vector<Tree> trees = two_trees(members, ranks);
  for (Tree& tree : trees)  // the root of the members has no parent
    for (const int r : members)
      if (tree.parent[static_cast<std::size_t>(r)] == no_rank) {
        link(tree, root, r);
        break;
      }
  return trees;
}

}  // namespace tributary::collective
