#include <algorithm>

#include "testbench/collective/tree/tree_growth.h"

namespace tributary::collective {
namespace {

struct Route {
  topology::PortRef out;
  int to = 0;  ///< rank
};

class DirectGrowth : public TreeGrowth {
 public:
  DirectGrowth(const topology::Graph& graph, const std::vector<int>& members)
      : TreeGrowth(graph, members), routes_(members.size()), parents_(members.size()) {
    for (std::size_t r = 0; r < members.size(); ++r) {
      for (int p = 0; p < graph.node(members[r]).ports; ++p)
        if (const auto peer = graph.peer({members[r], p}); peer && rank_of(peer->node) >= 0)
          routes_[r].push_back({{members[r], p}, rank_of(peer->node)});
      links_ += static_cast<int>(routes_[r].size());
      parents_[r].ranks.push_back(static_cast<int>(r));
    }
  }

  int links() const override { return links_; }

  void begin_step() override {
    free_.begin_step();
    for (std::size_t t = 0; t < parents_.size(); ++t) {
      auto& ranks = parents_[t].ranks;
      ranks.erase(std::remove_if(ranks.begin(), ranks.end(), [&](int p) { return surrounded(static_cast<int>(t), p); }),
                  ranks.end());
      parents_[t].next = 0;
      parents_[t].end = ranks.size();
    }
  }

  std::optional<Addition> grow(int tree) override {
    Parents& parents = parents_[static_cast<std::size_t>(tree)];
    for (; parents.next < parents.end; ++parents.next) {
      const int p = parents.ranks[parents.next];
      for (const Route& route : routes_[static_cast<std::size_t>(p)]) {
        if (has(tree, route.to) || !free_.free(route.out)) continue;
        Addition addition{p, route.to, {route.out}};
        take(tree, addition);
        parents.ranks.push_back(route.to);
        return addition;
      }
    }
    return std::nullopt;
  }

 private:
  /// The ranks of a tree that have neighbours outside the tree, in order of addition. Ranks before `next` cannot add a node
  /// in this step.
  struct Parents {
    std::vector<int> ranks;
    std::size_t next = 0, end = 0;
  };

  bool surrounded(int tree, int rank) const {
    const auto& routes = routes_[static_cast<std::size_t>(rank)];
    return std::all_of(routes.begin(), routes.end(), [&](const Route& route) { return has(tree, route.to); });
  }

  std::vector<std::vector<Route>> routes_;  ///< [rank] links to participants, in the order of the ports
  std::vector<Parents> parents_;            ///< [tree]
  int links_ = 0;
};

}  // namespace

std::unique_ptr<TreeGrowth> direct_growth(const topology::Graph& graph, const std::vector<int>& members) {
  return std::make_unique<DirectGrowth>(graph, members);
}

}  // namespace tributary::collective
