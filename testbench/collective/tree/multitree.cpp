#include "testbench/collective/tree/multitree.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <string>

#include "modules/base/index.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/tree/tree_growth.h"

namespace tributary::collective {
namespace {

using topology::Graph;

/// The remaining height of each tree: the distance from the tree to the farthest node that it lacks.
class Heights {
 public:
  /// Finds the number of links from each member to each other member, through nodes that forward.
  Heights(const Graph& graph, const std::vector<int>& members) {
    for (const int from : members) {
      std::vector<int> hops(graph.nodes().size(), far);
      std::deque<int> front{from};
      hops[at(from)] = 0;
      while (!front.empty()) {
        const int n = front.front();
        front.pop_front();
        if (n != from && !topology::forwards(graph.node(n).kind)) continue;
        for (int p = 0; p < graph.node(n).ports; ++p)
          if (const auto peer = graph.peer({n, p}); peer && hops[at(peer->node)] == far)
            hops[at(peer->node)] = hops[at(n)] + 1, front.push_back(peer->node);
      }
      distance_.emplace_back();
      for (const int to : members) distance_.back().push_back(hops[at(to)]);
    }
    missing_ = distance_;
  }

  void added(int tree, int rank) {
    auto& missing = missing_[at(tree)];
    for (std::size_t r = 0; r < missing.size(); ++r) missing[r] = std::min(missing[r], distance_[at(rank)][r]);
  }
  int remaining(int tree) const { return *std::max_element(missing_[at(tree)].begin(), missing_[at(tree)].end()); }

 private:
  static constexpr int far = 1 << 20;
  std::vector<std::vector<int>> distance_;  ///< [rank][rank]
  std::vector<std::vector<int>> missing_;   ///< [tree][rank] distance from the nearest rank in the tree
};

class Builder {
 public:
  Builder(const Graph& graph, const std::vector<int>& members, const MultiTreeOptions& options)
      : options_(options), result_{members, std::vector<StepTree>(members.size())}, turns_(members.size()) {
    check(graph, members);
    const bool direct = graph.node(members.front()).kind == topology::NodeKind::nic_router;
    growth_ = direct ? direct_growth(graph, members) : indirect_growth(graph, members, options);
    result_.links = growth_->links();
    std::iota(turns_.begin(), turns_.end(), 0);
    for (std::size_t r = 0; r < members.size(); ++r) result_.trees[r].root = static_cast<int>(r);
    if (options.order == TreeOrder::root) return;
    heights_ = std::make_unique<Heights>(graph, members);
    sort_turns();
  }

  StepTrees build(const Graph& graph) {
    while (!turns_.empty()) {
      step();
      if (growth_->used() == 0) refuse(graph);
    }
    return std::move(result_);
  }

 private:
  static void check(const Graph& graph, const std::vector<int>& members) {
    if (members.size() < 2) throw ScheduleError("multitree: at least 2 nodes");
    std::vector<bool> named(graph.nodes().size(), false);
    for (const int n : members) {
      if (n < 0 || at(n) >= named.size() || !topology::is_end(graph.node(n).kind))
        throw ScheduleError("multitree: the topology has no end node " + std::to_string(n));
      if (named[at(n)]) throw ScheduleError("multitree: node " + std::to_string(n) + " is named twice");
      named[at(n)] = true;
    }
  }

  bool complete(int tree) const { return result_.trees[at(tree)].edges.size() + 1 == result_.nodes.size(); }

  void sort_turns() {
    std::sort(turns_.begin(), turns_.end());
    std::stable_sort(turns_.begin(), turns_.end(),
                     [&](int a, int b) { return heights_->remaining(a) > heights_->remaining(b); });
  }

  /// Trees take turns and add one node each, until no tree can add a node.
  void step() {
    ++result_.steps;
    growth_->begin_step();
    if (options_.order == TreeOrder::remaining) sort_turns();
    std::vector<int> active = turns_, again;
    for (; !active.empty(); active.swap(again)) {
      again.clear();
      for (const int tree : active)
        if (add(tree)) again.push_back(tree);
    }
    turns_.erase(std::remove_if(turns_.begin(), turns_.end(), [&](int tree) { return complete(tree); }), turns_.end());
    result_.links_used.push_back(growth_->used());
  }

  /// Adds a node to the tree. Returns true if the tree may have another turn in this step.
  bool add(int tree) {
    const auto addition = growth_->grow(tree);
    if (!addition) return false;
    StepTree& t = result_.trees[at(tree)];
    t.edges.push_back({addition->parent, addition->child, result_.steps, static_cast<std::uint32_t>(t.hops.size()),
                       static_cast<std::uint32_t>(addition->hops.size())});
    t.hops.insert(t.hops.end(), addition->hops.begin(), addition->hops.end());
    if (heights_) heights_->added(tree, addition->child);
    return !complete(tree);
  }

  [[noreturn]] void refuse(const Graph& graph) const {
    const StepTree& tree = result_.trees[at(turns_.front())];
    std::vector<bool> has(result_.nodes.size(), false);
    has[at(tree.root)] = true;
    for (const TreeEdge& e : tree.edges) has[at(e.child)] = true;
    const auto missing = std::find(has.begin(), has.end(), false) - has.begin();
    const auto name = [&](std::size_t rank) { return graph.node(result_.nodes[rank]).name; };
    throw ScheduleError("multitree: no path from " + name(at(tree.root)) + " to " + name(static_cast<std::size_t>(missing)) +
                        "; the network of the " + std::to_string(has.size()) + " participants is not connected");
  }

  MultiTreeOptions options_;
  StepTrees result_;
  std::vector<int> turns_;  ///< incomplete trees in the order of their turns
  std::unique_ptr<TreeGrowth> growth_;
  std::unique_ptr<Heights> heights_;
};

}  // namespace

TreeGrowth::TreeGrowth(const Graph& graph, const std::vector<int>& members)
    : graph_(graph),
      members_(members),
      free_(graph),
      rank_of_(graph.nodes().size(), -1),
      has_(members.size(), std::vector<char>(members.size(), 0)) {
  for (std::size_t r = 0; r < members.size(); ++r) {
    rank_of_[at(members[r])] = static_cast<int>(r);
    has_[r][r] = 1;
  }
}

void TreeGrowth::take(int tree, const Addition& addition) {
  for (const topology::PortRef& hop : addition.hops) free_.use(hop);
  has_[at(tree)][at(addition.child)] = 1;
}

StepTrees multitree(const Graph& graph, const std::vector<int>& members, const MultiTreeOptions& options) {
  return Builder(graph, members, options).build(graph);
}

}  // namespace tributary::collective
