#include "testbench/collective/packing/shared_packing.h"

#include <coin/ClpSimplex.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "modules/base/index.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {
namespace {

constexpr double slack = 1e-7;
constexpr int most_columns = 4'000;
constexpr double units_of_all = 1'000;  ///< sum of the units of all trees, about
constexpr int most_looks = 200'000;     ///< exchanges of edges that are tried

using Loads = std::map<int, double>;  ///< time of a unit of data by link

class SharedPacker {
 public:
  SharedPacker(const SharedGraph& graph, bool directed, int root) : graph_(graph), directed_(directed), root_(root) {
    std::map<std::pair<int, int>, int> of_pair;
    pairs_.nodes = graph.nodes;
    for (const SharedEdge& e : graph.edges) {
      const auto ends = directed ? std::pair(e.from, e.to) : std::minmax({e.from, e.to});
      const auto [known, added] = of_pair.emplace(ends, static_cast<int>(pairs_.edges.size()));
      if (added) pairs_.edges.push_back({ends.first, ends.second, 1}), uses_.emplace_back();
      for (const SharedUse& use : e.uses) uses_[at(known->second)][use.link] += use.time;
    }
    generate();
    add(exchanged(trees_[at(fastest())]));
  }

  double bound() const { return bound_; }

  /// Returns the columns of a packing with few trees, and its shares of the data.
  std::vector<std::pair<int, double>> few(double threshold) const {
    const double least = bound_ * (1 - threshold);
    std::vector<int> used(trees_.size());
    std::iota(used.begin(), used.end(), 0);
    if (const int alone = best_alone(least); alone >= 0) return {{alone, 1}};
    std::vector<std::pair<int, double>> best = solved(used);
    while (best.size() > 1) {
      std::vector<int> fewer;
      for (std::size_t i = 0; i + 1 < best.size(); ++i) fewer.push_back(best[i].first);
      const std::vector<std::pair<int, double>> next = solved(fewer);
      if (rate(next) < least) break;
      best = next;
    }
    return best;
  }

  /// Returns the rate of trees with shares of the data.
  double rate(const std::vector<std::pair<int, double>>& shares) const {
    std::vector<double> load(at(graph_.links), 0);
    double sum = 0;
    for (const auto& [tree, share] : shares) {
      sum += share;
      for (const auto& [link, time] : loads_[at(tree)]) load[at(link)] += share * time;
    }
    return sum / *std::max_element(load.begin(), load.end());
  }

  RootedTree tree(int column) const {
    const EdgeSet& edges = trees_[at(column)];
    return rooted_tree(pairs_, edges, directed_ ? root_ : centre(pairs_, edges), directed_);
  }

 private:
  void generate() {
    ClpSimplex lp;
    lp.setLogLevel(0);
    lp.resize(graph_.links, 0);
    for (int link = 0; link < graph_.links; ++link) lp.setRowBounds(link, -COIN_DBL_MAX, 1);
    std::vector<double> duals(at(graph_.links), 1);
    for (int columns = 0; columns < most_columns; ++columns) {
      const EdgeSet tree = cheapest(duals);
      const Loads loads = loads_of(tree);
      double price = 0;
      for (const auto& [link, time] : loads) price += duals[at(link)] * time;
      if (columns > 0 && price > 1 - slack) break;
      add(tree);
      add_column(lp, loads);
      if (lp.primal(columns == 0 ? 0 : 1) != 0) throw PackingError("the linear program of shared links has no solution");
      for (std::size_t l = 0; l < duals.size(); ++l) duals[l] = std::max(0.0, -lp.dualRowSolution()[l]);
    }
    bound_ = -lp.objectiveValue();
  }

  void add(EdgeSet tree) { loads_.push_back(loads_of(tree)), trees_.push_back(std::move(tree)); }

  static void add_column(ClpSimplex& lp, const Loads& loads) {
    std::vector<int> rows;
    std::vector<double> times;
    for (const auto& [link, time] : loads) rows.push_back(link), times.push_back(time);
    lp.addColumn(static_cast<int>(rows.size()), rows.data(), times.data(), 0, COIN_DBL_MAX, -1);
  }

  EdgeSet cheapest(const std::vector<double>& duals) const try {
    std::vector<double> costs;
    for (const Loads& uses : uses_) {
      double cost = 0;
      for (const auto& [link, time] : uses) cost += duals[at(link)] * time;
      costs.push_back(cost);
    }
    return directed_ ? cheapest_arborescence(pairs_, root_, costs) : cheapest_spanning_tree(pairs_, costs);
  } catch (const std::logic_error& error) {
    throw ScheduleError(error.what());
  }

  Loads loads_of(const EdgeSet& tree) const {
    Loads loads;
    for (const int e : tree)
      for (const auto& [link, time] : uses_[at(e)]) loads[link] += time;
    return loads;
  }

  /// Returns the column with the greatest rate.
  int fastest() const {
    int best = 0;
    for (int column = 1; column < static_cast<int>(trees_.size()); ++column)
      if (rate({{column, 1}}) > rate({{best, 1}})) best = column;
    return best;
  }

  /// Time of a tree: of its busiest link, then of all links.
  struct Burden {
    double most = 0, sum = 0;
    bool operator<(const Burden& o) const { return most < o.most - slack || (most <= o.most && sum < o.sum - slack); }
  };
  Burden burden(const EdgeSet& tree) const {
    Burden all;
    for (const auto& [link, time] : loads_of(tree)) all.most = std::max(all.most, time), all.sum += time;
    return all;
  }

  bool spans(const EdgeSet& tree) const {
    std::vector<int> above(at(graph_.nodes));
    std::iota(above.begin(), above.end(), 0);
    const auto first = [&](int node) {
      while (above[at(node)] != node) node = above[at(node)];
      return node;
    };
    for (const int e : tree) {
      const int a = first(pairs_.edges[at(e)].from), b = first(pairs_.edges[at(e)].to);
      if (a == b) return false;
      above[at(b)] = a;
    }
    return true;
  }

  /// Exchanges edges of a tree as long as this lowers its burden: one tree in place of several keeps links of PCIe free of
  /// copies that wait for each other.
  EdgeSet exchanged(EdgeSet tree) const {
    Burden best = burden(tree);
    int looks = 0;
    for (bool better = true; better && looks < most_looks;) {
      better = false;
      for (std::size_t i = 0; i < tree.size(); ++i)
        for (int e = 0; e < static_cast<int>(pairs_.edges.size()); ++e) {
          if (directed_ && pairs_.edges[at(e)].to != pairs_.edges[at(tree[i])].to) continue;
          if (++looks > most_looks) break;
          const int before = std::exchange(tree[i], e);
          if (const Burden here = spans(tree) ? burden(tree) : best; here < best)
            best = here, better = true;
          else
            tree[i] = before;
        }
    }
    std::sort(tree.begin(), tree.end());
    return tree;
  }

  /// Returns the tree of least height that reaches the rate by itself; -1 if there is none.
  int best_alone(double least) const {
    int best = -1, height = std::numeric_limits<int>::max();
    for (int column = 0; column < static_cast<int>(trees_.size()); ++column) {
      if (rate({{column, 1}}) < least) continue;
      if (const int own = tree(column).height(); own < height) best = column, height = own;
    }
    return best;
  }

  /// Returns the best packing of some columns, heaviest first.
  std::vector<std::pair<int, double>> solved(const std::vector<int>& columns) const {
    ClpSimplex lp;
    lp.setLogLevel(0);
    lp.resize(graph_.links, 0);
    for (int link = 0; link < graph_.links; ++link) lp.setRowBounds(link, -COIN_DBL_MAX, 1);
    for (const int column : columns) add_column(lp, loads_[at(column)]);
    if (lp.primal(0) != 0) throw PackingError("the linear program of shared links has no solution");
    std::vector<std::pair<int, double>> shares;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (lp.primalColumnSolution()[i] > slack) shares.emplace_back(columns[i], lp.primalColumnSolution()[i]);
    std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return shares;
  }

  const SharedGraph& graph_;
  bool directed_;
  int root_;
  CapacityGraph pairs_;         ///< edges of the trees; capacities are not used
  std::vector<Loads> uses_;     ///< [edge]
  std::vector<EdgeSet> trees_;  ///< columns
  std::vector<Loads> loads_;    ///< [column]
  double bound_ = 0;
};

Tree tree_of(const RootedTree& rooted) {
  Tree tree{rooted.parent, std::vector<std::vector<int>>(rooted.parent.size())};
  for (std::size_t node = 0; node < rooted.parent.size(); ++node)
    if (rooted.parent[node] >= 0)
      tree.children[at(rooted.parent[node])].push_back(static_cast<int>(node));
    else
      tree.parent[node] = no_rank;
  return tree;
}

}  // namespace

SharedPacking shared_packing(const SharedGraph& graph, bool directed, int root, double threshold) {
  const SharedPacker packer(graph, directed, root);
  std::vector<std::pair<int, double>> shares = packer.few(threshold);
  double sum = 0;
  for (const auto& [tree, share] : shares) sum += share;
  SharedPacking packing;
  packing.bound = packer.bound();
  for (auto& [column, share] : shares) {
    const auto units = static_cast<std::int64_t>(std::llround(share / sum * units_of_all));
    share = static_cast<double>(units);
    if (units > 0) packing.trees.push_back({tree_of(packer.tree(column)), units, static_cast<int>(packing.trees.size())});
  }
  packing.rate = packer.rate(shares);
  return packing;
}

}  // namespace tributary::collective
