#include "testbench/collective/packing/weighted_trees.h"

#include <algorithm>

#include "modules/base/index.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {
namespace {

/// Returns the tree with children in ascending order.
Tree tree_of(const std::vector<int>& parent) {
  Tree tree{parent, std::vector<std::vector<int>>(parent.size())};
  for (std::size_t r = 0; r < parent.size(); ++r)
    if (parent[r] >= 0)
      tree.children[at(parent[r])].push_back(static_cast<int>(r));
    else
      tree.parent[r] = no_rank;
  return tree;
}

}  // namespace

std::vector<WeightedTree> weighted_trees(const CapacityGraph& graph, const TreePacking& packing, bool directed) {
  std::vector<WeightedTree> trees;
  for (const PackedTree& tree : packing.trees)
    trees.push_back(
        {tree_of(rooted_tree(graph, tree.edges, tree.root, directed).parent), tree.units, static_cast<int>(trees.size())});
  return trees;
}

std::vector<WeightedTree> one_hop_trees(int ranks) {
  std::vector<WeightedTree> trees;
  for (int root = 0; root < ranks; ++root) {
    std::vector<int> parent(at(ranks), root);
    parent[at(root)] = no_rank;
    trees.push_back({tree_of(parent), 1, root});
  }
  return trees;
}

std::vector<WeightedTree> two_hop_trees(int ranks, int root) {
  std::vector<WeightedTree> trees;
  for (int inner = 0; inner < ranks; ++inner) {
    if (inner == root) continue;
    std::vector<int> parent(at(ranks), inner);
    parent[at(root)] = no_rank, parent[at(inner)] = root;
    trees.push_back({tree_of(parent), 1, static_cast<int>(trees.size())});
  }
  return trees;
}

std::vector<WeightedTree> switch_trees(TreeUse use, int ranks, int root) {
  if (use == TreeUse::broadcast || use == TreeUse::reduce) return two_hop_trees(ranks, root);
  if (use == TreeUse::gather) return {one_hop_trees(ranks)[at(root)]};
  return one_hop_trees(ranks);
}

std::vector<WeightedTree> chain_from(int ranks, int root) { return {{path_tree(ranks, root), 1, 0}}; }

std::vector<WeightedTree> chain_from_middle(int ranks) {
  const int middle = ranks / 2;
  std::vector<int> parent(at(ranks), no_rank);
  for (int r = 0; r < ranks; ++r)
    if (r != middle) parent[at(r)] = r < middle ? r + 1 : r - 1;
  return {{tree_of(parent), 1, 0}};
}

Tree rerooted(const Tree& tree, int root) {
  Tree turned{std::vector<int>(tree.parent.size(), no_rank), std::vector<std::vector<int>>(tree.parent.size())};
  std::vector<int> open{root};
  for (std::size_t done = 0; done < open.size(); ++done) {
    const int here = open[done], from = turned.parent[at(here)];
    std::vector<int>& children = turned.children[at(here)];
    for (const int child : tree.children[at(here)])
      if (child != from) children.push_back(child);
    if (const int up = tree.parent[at(here)]; up != no_rank && up != from) children.push_back(up);
    std::sort(children.begin(), children.end());
    for (const int child : children) turned.parent[at(child)] = here;
    open.insert(open.end(), children.begin(), children.end());
  }
  return turned;
}

std::vector<int> depths(const Tree& tree, int root) {
  std::vector<int> depth(tree.parent.size(), -1), open{root};
  depth[at(root)] = 0;
  for (std::size_t done = 0; done < open.size(); ++done)
    for (const int child : tree.children[at(open[done])]) {
      depth[at(child)] = depth[at(open[done])] + 1;
      open.push_back(child);
    }
  return depth;
}

}  // namespace tributary::collective
