#include "testbench/collective/packing/less_deep.h"

#include <algorithm>
#include <map>
#include <optional>

#include "modules/base/index.h"

namespace tributary::collective {
namespace {

constexpr std::int64_t most_looks = 150'000;  // most trees whose depth is computed

/// Computes the depth of a set of edges as a tree.
class Depths {
 public:
  Depths(const CapacityGraph& graph, bool directed)
      : graph_(graph), directed_(directed), next_(at(graph.nodes)), depth_(at(graph.nodes)), above_(at(graph.nodes)) {}

  struct Measure {
    int root = 0;
    std::int64_t height = 0, sum = 0;  ///< greatest depth of a node, sum of all depths
  };
  /// Returns the measure from `root`, or from the centre of an undirected tree. Returns nothing if the edges are no spanning
  /// tree.
  std::optional<Measure> of(const EdgeSet& edges, int root) {
    for (std::vector<int>& next : next_) next.clear();
    for (const int e : edges) {
      const CapacityEdge& edge = graph_.edges[at(e)];
      next_[at(edge.from)].push_back(edge.to);
      if (!directed_) next_[at(edge.to)].push_back(edge.from);
    }
    if (!walk(root)) return std::nullopt;
    if (!directed_) {  // the centre is the middle of the longest path
      const int end = order_.back();
      walk(end);
      root = order_.back();
      for (int up = depth_[at(root)] / 2; up > 0; --up) root = above_[at(root)];
      walk(root);
    }
    Measure measure{root, depth_[at(order_.back())], 0};
    for (const int v : order_) measure.sum += depth_[at(v)];
    return measure;
  }

 private:
  /// Walks breadth first. Returns true if all nodes are reached.
  bool walk(int root) {
    std::fill(depth_.begin(), depth_.end(), -1);
    order_.assign(1, root), depth_[at(root)] = 0;
    for (std::size_t i = 0; i < order_.size(); ++i)
      for (const int v : next_[at(order_[i])])
        if (depth_[at(v)] < 0) depth_[at(v)] = depth_[at(order_[i])] + 1, above_[at(v)] = order_[i], order_.push_back(v);
    return order_.size() == next_.size();
  }

  const CapacityGraph& graph_;
  bool directed_;
  std::vector<std::vector<int>> next_;
  std::vector<int> depth_, above_, order_;
};

class Exchanges {
 public:
  Exchanges(const CapacityGraph& graph, TreePacking& packing, bool directed)
      : graph_(graph), packing_(packing), directed_(directed), depths_(graph, directed) {
    for (const CapacityEdge& e : graph.edges) spare_.push_back(packing.denominator * e.capacity);
    for (PackedTree& tree : packing.trees) {
      for (const int e : tree.edges) spare_[at(e)] -= tree.units;
      costs_.push_back(cost(tree.edges, tree.root).value());
    }
  }

  void run() {
    for (bool better = true; better && looks_ < most_looks;) {
      better = false;
      for (std::size_t tree = 0; tree < packing_.trees.size(); ++tree)
        while (looks_ < most_looks && improve(tree)) better = true;
    }
    for (PackedTree& tree : packing_.trees) {
      const auto measure = depths_.of(tree.edges, tree.root);
      tree.root = measure->root, tree.depth = static_cast<int>(measure->height);
    }
  }

 private:
  struct Exchange {
    std::int64_t gain;
    int out, in;
  };

  std::optional<std::int64_t> cost(const EdgeSet& edges, int root) {
    ++looks_;
    const auto measure = depths_.of(edges, root);
    if (!measure) return std::nullopt;
    return measure->height * graph_.nodes * graph_.nodes + measure->sum;
  }
  static EdgeSet exchanged(EdgeSet edges, int out, int in) {
    edges.erase(std::lower_bound(edges.begin(), edges.end(), out));
    edges.insert(std::lower_bound(edges.begin(), edges.end(), in), in);
    return edges;
  }
  static bool has(const EdgeSet& edges, int e) { return std::binary_search(edges.begin(), edges.end(), e); }

  /// Returns the exchanges that reduce the depth of one tree, the best first.
  std::vector<Exchange> better(std::size_t a) {
    const PackedTree& tree = packing_.trees[a];
    std::vector<Exchange> all;
    for (const int out : tree.edges)
      for (int in = 0; in < static_cast<int>(graph_.edges.size()); ++in) {
        if (has(tree.edges, in)) continue;
        if (directed_ && graph_.edges[at(in)].to != graph_.edges[at(out)].to) continue;
        const auto then = cost(exchanged(tree.edges, out, in), tree.root);
        if (then && *then < costs_[a]) all.push_back({costs_[a] - *then, out, in});
      }
    std::stable_sort(all.begin(), all.end(), [](const Exchange& x, const Exchange& y) { return x.gain > y.gain; });
    return all;
  }

  void apply(std::size_t a, int out, int in) {
    PackedTree& tree = packing_.trees[a];
    tree.edges = exchanged(tree.edges, out, in);
    spare_[at(out)] += tree.units, spare_[at(in)] -= tree.units;
    costs_[a] = cost(tree.edges, tree.root).value();
  }

  bool improve(std::size_t a) {
    const std::int64_t units = packing_.trees[a].units;
    for (const Exchange& x : better(a)) {
      if (spare_[at(x.in)] >= units) {
        apply(a, x.out, x.in);
        return true;
      }
      for (std::size_t b = 0; b < packing_.trees.size(); ++b) {
        const PackedTree& other = packing_.trees[b];
        if (b == a || other.units != units || !has(other.edges, x.in) || has(other.edges, x.out)) continue;
        const auto then = cost(exchanged(other.edges, x.in, x.out), other.root);
        if (!then || *then - costs_[b] >= x.gain) continue;
        apply(a, x.out, x.in), apply(b, x.in, x.out);
        return true;
      }
      if (looks_ >= most_looks) return false;
    }
    return false;
  }

  const CapacityGraph& graph_;
  TreePacking& packing_;
  bool directed_;
  Depths depths_;
  std::vector<std::int64_t> spare_, costs_;
  std::int64_t looks_ = 0;
};

}  // namespace

TreePacking less_deep(const CapacityGraph& graph, TreePacking packing, bool directed) {
  Exchanges(graph, packing, directed).run();
  std::map<EdgeSet, std::size_t> first;
  std::vector<PackedTree> trees;
  for (PackedTree& tree : packing.trees) {
    const auto [known, is_new] = first.try_emplace(tree.edges, trees.size());
    if (is_new)
      trees.push_back(std::move(tree));
    else
      trees[known->second].units += tree.units;
  }
  std::stable_sort(trees.begin(), trees.end(), [](const PackedTree& a, const PackedTree& b) { return a.units > b.units; });
  packing.trees = std::move(trees);
  return packing;
}

}  // namespace tributary::collective
