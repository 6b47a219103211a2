#include "testbench/collective/packing/integral_packing.h"

#include <algorithm>
#include <map>

namespace tributary::collective {

TreePacking integral_packing(const CapacityGraph& directed, int root) {
  CapacityGraph left = directed;
  std::map<EdgeSet, std::int64_t> found;
  for (std::int64_t trees = least_cut(directed, root).capacity; trees > 0; --trees) {
    std::vector<bool> reached(static_cast<std::size_t>(directed.nodes), false);
    reached[static_cast<std::size_t>(root)] = true;
    EdgeSet tree;
    std::vector<bool> refused(left.edges.size(), false);  // what once fails fails for the rest of this tree
    while (tree.size() + 1 < reached.size()) {
      std::size_t taken = left.edges.size();
      for (std::size_t e = 0; e < left.edges.size() && taken == left.edges.size(); ++e) {
        CapacityEdge& edge = left.edges[e];
        if (edge.capacity == 0 || refused[e] || !reached[static_cast<std::size_t>(edge.from)] ||
            reached[static_cast<std::size_t>(edge.to)])
          continue;
        --edge.capacity;
        if (trees == 1 || least_cut(left, root).capacity >= trees - 1) {
          taken = e;
        } else {
          ++edge.capacity;
          refused[e] = true;
        }
      }
      if (taken == left.edges.size()) throw PackingError("no edge can be added to a tree of an integral packing");
      reached[static_cast<std::size_t>(left.edges[taken].to)] = true;
      tree.push_back(static_cast<int>(taken));
    }
    std::sort(tree.begin(), tree.end());
    ++found[tree];
  }
  TreePacking packing;
  for (const auto& [tree, units] : found)
    packing.trees.push_back({tree, root, rooted_tree(directed, tree, root, true).height(), units});
  std::stable_sort(packing.trees.begin(), packing.trees.end(),
                   [](const PackedTree& a, const PackedTree& b) { return a.units > b.units; });
  return packing;
}

}  // namespace tributary::collective
