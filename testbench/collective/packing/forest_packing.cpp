#include "testbench/collective/packing/forest_packing.h"

#include <algorithm>
#include <map>

#include "modules/base/index.h"

namespace tributary::collective {
namespace {

/// A set of edges without a cycle, and the path between two nodes over them.
class Forest {
 public:
  explicit Forest(const CapacityGraph& graph) : graph_(graph), next_(at(graph.nodes)) { renew(); }

  const EdgeSet& edges() const { return edges_; }
  bool has(int e) const { return std::binary_search(edges_.begin(), edges_.end(), e); }
  bool joins(int a, int b) const { return part_[at(a)] == part_[at(b)]; }

  /// Replaces edge `out` by edge `in`. If `out` < 0, `in` is added.
  void exchange(int out, int in) {
    if (out >= 0) edges_.erase(std::lower_bound(edges_.begin(), edges_.end(), out));
    edges_.insert(std::lower_bound(edges_.begin(), edges_.end(), in), in);
    renew();
  }
  /// Calls `see` for the edges of the path between two nodes of one component.
  template <class See>
  void route(int a, int b, See&& see) const {
    while (a != b) {
      int& lower = depth_[at(a)] > depth_[at(b)] ? a : b;
      see(by_[at(lower)]);
      const CapacityEdge& edge = graph_.edges[at(by_[at(lower)])];
      lower = edge.from == lower ? edge.to : edge.from;
    }
  }

 private:
  void renew() {
    for (std::vector<int>& next : next_) next.clear();
    for (const int e : edges_)
      next_[at(graph_.edges[at(e)].from)].push_back(e), next_[at(graph_.edges[at(e)].to)].push_back(e);
    part_.assign(next_.size(), -1), depth_.assign(next_.size(), 0), by_.assign(next_.size(), -1);
    for (int start = 0; start < graph_.nodes; ++start) {
      if (part_[at(start)] >= 0) continue;
      std::vector<int> order{start};
      part_[at(start)] = start;
      for (std::size_t i = 0; i < order.size(); ++i)
        for (const int e : next_[at(order[i])]) {
          const CapacityEdge& edge = graph_.edges[at(e)];
          const int v = edge.from == order[i] ? edge.to : edge.from;
          if (part_[at(v)] >= 0) continue;
          part_[at(v)] = start, depth_[at(v)] = depth_[at(order[i])] + 1, by_[at(v)] = e;
          order.push_back(v);
        }
    }
  }

  const CapacityGraph& graph_;
  EdgeSet edges_;
  std::vector<std::vector<int>> next_;
  std::vector<int> part_, depth_, by_;
};

class Union {
 public:
  Union(const CapacityGraph& graph, std::int64_t denominator, std::int64_t trees)
      : graph_(graph), forests_(static_cast<std::size_t>(trees), Forest(graph)) {
    for (const CapacityEdge& e : graph.edges) left_.push_back(denominator * e.capacity);
    for (Forest& forest : forests_) begin(forest);
  }

  /// Completes the forests to trees. Returns false if that is impossible.
  bool complete() {
    std::size_t lacking = 0;
    for (const Forest& forest : forests_) lacking += at(graph_.nodes - 1) - forest.edges().size();
    for (; lacking > 0; --lacking)
      if (!augment()) return false;
    return true;
  }
  const std::vector<Forest>& forests() const { return forests_; }

 private:
  /// A step of a chain: `edge` can leave `forest` if the edge of move `before` replaces it. Without a forest, `edge` is a
  /// spare edge.
  struct Move {
    int edge, forest, before;
  };

  void begin(Forest& forest) {
    std::vector<std::int64_t> at_node(at(graph_.nodes), 0);
    for (std::size_t e = 0; e < left_.size(); ++e)
      at_node[at(graph_.edges[e].from)] += left_[e], at_node[at(graph_.edges[e].to)] += left_[e];
    std::vector<int> order{static_cast<int>(std::max_element(at_node.begin(), at_node.end()) - at_node.begin())};
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t e = 0; e < left_.size(); ++e) {
        const CapacityEdge& edge = graph_.edges[e];
        if (left_[e] == 0 || (edge.from != order[i] && edge.to != order[i]) || forest.joins(edge.from, edge.to)) continue;
        --left_[e], forest.exchange(-1, static_cast<int>(e));
        order.push_back(edge.from == order[i] ? edge.to : edge.from);
      }
  }

  /// Adds one edge by the shortest chain. Returns false if there is no chain, and so no greater union.
  bool augment() {
    std::vector<Move> moves;
    for (std::size_t e = 0; e < left_.size(); ++e)
      if (left_[e] > 0) moves.push_back({static_cast<int>(e), -1, -1});
    std::vector<std::vector<bool>> seen(forests_.size(), std::vector<bool>(left_.size(), false));
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const Move move = moves[i];
      const CapacityEdge& edge = graph_.edges[at(move.edge)];
      for (std::size_t f = 0; f < forests_.size(); ++f) {
        if (static_cast<int>(f) == move.forest || forests_[f].has(move.edge)) continue;
        if (!forests_[f].joins(edge.from, edge.to)) {
          apply(moves, static_cast<int>(i), static_cast<int>(f));
          return true;
        }
        forests_[f].route(edge.from, edge.to, [&](int e) {
          if (seen[f][at(e)]) return;
          seen[f][at(e)] = true;
          moves.push_back({e, static_cast<int>(f), static_cast<int>(i)});
        });
      }
    }
    return false;
  }

  void apply(const std::vector<Move>& moves, int last, int forest) {
    forests_[at(forest)].exchange(-1, moves[at(last)].edge);
    for (int i = last; moves[at(i)].forest >= 0; i = moves[at(i)].before)
      forests_[at(moves[at(i)].forest)].exchange(moves[at(i)].edge, moves[at(moves[at(i)].before)].edge);
    for (; moves[at(last)].before >= 0; last = moves[at(last)].before) continue;
    --left_[at(moves[at(last)].edge)];
  }

  const CapacityGraph& graph_;
  std::vector<Forest> forests_;
  std::vector<std::int64_t> left_;
};

}  // namespace

std::optional<TreePacking> forest_packing(const CapacityGraph& undirected, std::int64_t denominator, std::int64_t trees) {
  Union all(undirected, denominator, trees);
  if (!all.complete()) return std::nullopt;
  std::map<EdgeSet, std::int64_t> found;
  for (const Forest& forest : all.forests()) ++found[forest.edges()];
  TreePacking packing;
  packing.denominator = denominator;
  for (const auto& [edges, units] : found) {
    const int root = centre(undirected, edges);
    packing.trees.push_back({edges, root, rooted_tree(undirected, edges, root, false).height(), units});
  }
  std::stable_sort(packing.trees.begin(), packing.trees.end(),
                   [](const PackedTree& a, const PackedTree& b) { return a.units > b.units; });
  return packing;
}

}  // namespace tributary::collective
