#include "testbench/collective/packing/integral_packing.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "modules/base/index.h"

namespace tributary::collective {
namespace {

/// Maximum flows over the remaining capacity of a graph's edges, by shortest augmenting paths.
class Flows {
 public:
  explicit Flows(const CapacityGraph& graph) : graph_(graph), at_node_(at(graph.nodes)) {
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      left.push_back(graph.edges[e].capacity);
      at_node_[at(graph.edges[e].from)].push_back(static_cast<int>(e));
      at_node_[at(graph.edges[e].to)].push_back(static_cast<int>(e));
    }
  }

  std::vector<std::int64_t> left;  ///< [edge] remaining capacity

  /// True if `units` can flow from one node to another.
  bool reach(int from, int to, std::int64_t units) {
    flow_.assign(left.size(), 0);
    while (units > 0) {
      const std::int64_t more = augment(from, to);
      if (more == 0) return false;
      units -= more;
    }
    return true;
  }

 private:
  /// Returns the residual capacity of an edge from one of its ends.
  std::int64_t free(int e, int from) const {
    return graph_.edges[at(e)].from == from ? left[at(e)] - flow_[at(e)] : flow_[at(e)];
  }
  int other(int e, int node) const {
    const CapacityEdge& edge = graph_.edges[at(e)];
    return edge.from == node ? edge.to : edge.from;
  }

  std::int64_t augment(int from, int to) {
    by_.assign(at_node_.size(), -1);
    order_.assign(1, from);
    for (std::size_t i = 0; i < order_.size() && by_[at(to)] < 0; ++i)
      for (const int e : at_node_[at(order_[i])]) {
        const int v = other(e, order_[i]);
        if (v == from || by_[at(v)] >= 0 || free(e, order_[i]) == 0) continue;
        by_[at(v)] = e, order_.push_back(v);
      }
    if (by_[at(to)] < 0) return 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (int v = to; v != from; v = other(by_[at(v)], v)) most = std::min(most, free(by_[at(v)], other(by_[at(v)], v)));
    for (int v = to; v != from; v = other(by_[at(v)], v))
      flow_[at(by_[at(v)])] += graph_.edges[at(by_[at(v)])].to == v ? most : -most;
    return most;
  }

  const CapacityGraph& graph_;
  std::vector<std::vector<int>> at_node_;
  std::vector<std::int64_t> flow_;
  std::vector<int> by_, order_;
};

/// Returns a breadth-first tree of weight `units` that leaves a flow of `rest` units from the root to every node. An edge is
/// rejected if it makes a cut at its end too small. It stays rejected, since the tree only uses more edges. Returns nothing
/// if the tree cannot be completed, which does not happen for one unit.
std::optional<EdgeSet> grown(const CapacityGraph& graph, int root, Flows& flows, std::int64_t units, std::int64_t rest) {
  std::vector<bool> reached(at(graph.nodes), false);
  reached[at(root)] = true;
  EdgeSet tree;
  std::vector<int> order{root};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const CapacityEdge& edge = graph.edges[e];
      if (edge.from != order[i] || reached[at(edge.to)] || flows.left[e] < units) continue;
      flows.left[e] -= units;
      if (!flows.reach(root, edge.to, rest)) {
        flows.left[e] += units;
        continue;
      }
      reached[at(edge.to)] = true, order.push_back(edge.to);
      tree.push_back(static_cast<int>(e));
    }
  std::sort(tree.begin(), tree.end());
  if (order.size() == reached.size()) return tree;
  for (const int e : tree) flows.left[at(e)] += units;
  return std::nullopt;
}

}  // namespace

TreePacking integral_packing(const CapacityGraph& directed, int root) {
  Flows flows(directed);
  std::map<EdgeSet, std::int64_t> found;
  std::int64_t rate = least_cut(directed, root).capacity, units = rate;
  while (rate > 0) {
    units = std::min(units, rate);
    const std::optional<EdgeSet> tree = grown(directed, root, flows, units, rate - units);
    if (tree) {
      found[*tree] += units, rate -= units;
    } else if (--units == 0) {
      throw PackingError("no edge can be added to a tree of an integral packing");
    }
  }
  TreePacking packing;
  for (const auto& [tree, weight] : found)
    packing.trees.push_back({tree, root, rooted_tree(directed, tree, root, true).height(), weight});
  std::stable_sort(packing.trees.begin(), packing.trees.end(),
                   [](const PackedTree& a, const PackedTree& b) { return a.units > b.units; });
  return packing;
}

}  // namespace tributary::collective
