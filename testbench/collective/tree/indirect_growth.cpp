#include <algorithm>
#include <array>
#include <deque>

#include "testbench/collective/tree/tree_growth.h"

namespace tributary::collective {
namespace {

using topology::PortRef;

constexpr int any_distance = 1 << 20;

class IndirectGrowth : public TreeGrowth {
 public:
  IndirectGrowth(const topology::Graph& graph, const std::vector<int>& members, SwitchSearch search)
      : TreeGrowth(graph, members),
        search_(search),
        parents_(members.size()),
        seen_(graph.nodes().size(), 0),
        came_by_(graph.nodes().size()),
        switches_on_route_(graph.nodes().size(), 0),
        carries_members_(graph.nodes().size(), false) {
    for (std::size_t r = 0; r < members.size(); ++r) parents_[r].ranks.push_back(static_cast<int>(r));
    for (const topology::Link& link : graph.links()) {
      if (is_switch(link.a.node) && is_switch(link.b.node)) links_ += 2;
      for (const auto& [end, other] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}})
        if (is_switch(end.node) && rank_of(other.node) >= 0) links_ += 2, carries_members_[index(end.node)] = true;
    }
  }

  int links() const override { return links_; }

  void begin_step() override {
    free_.begin_step();
    for (Parents& parents : parents_) parents = {std::move(parents.ranks), 0, {}}, parents.end = parents.ranks.size();
  }

  std::optional<Addition> grow(int tree) override {
    if (search_ != SwitchSearch::nearest) return grow(tree, any_distance, 0);
    for (std::size_t d = 0; d < 3; ++d)
      if (auto addition = grow(tree, static_cast<int>(d) + 1, d)) return addition;
    return std::nullopt;
  }

 private:
  /// All ranks of a tree, in order of addition. Ranks before next[d] cannot add a node at distance d in this step.
  struct Parents {
    std::vector<int> ranks;
    std::size_t end = 0;
    std::array<std::size_t, 3> next{};
  };

  static std::size_t index(int node) { return static_cast<std::size_t>(node); }
  bool is_switch(int node) const { return !topology::is_end(graph_.node(node).kind); }

  std::optional<Addition> grow(int tree, int distance, std::size_t pass) {
    Parents& parents = parents_[index(tree)];
    for (std::size_t& next = parents.next[pass]; next < parents.end; ++next) {
      const int p = parents.ranks[next];
      const auto last = find(tree, p, distance);
      if (!last) continue;
      Addition addition{p, rank_of(graph_.peer(*last)->node), {*last}};
      for (int at = last->node; at != members_[index(p)]; at = addition.hops.back().node)
        addition.hops.push_back(came_by_[index(at)]);
      std::reverse(addition.hops.begin(), addition.hops.end());
      take(tree, addition);
      parents.ranks.push_back(addition.child);
      return addition;
    }
    return std::nullopt;
  }

  /// Searches breadth first over free links. Returns the last link to the first node that the tree lacks.
  std::optional<PortRef> find(int tree, int parent, int distance) {
    ++search_number_;
    std::deque<int> front;
    reach(members_[index(parent)], 1, front);
    while (!front.empty()) {
      const int at = front.front();
      front.pop_front();
      for (int p = 0; p < graph_.node(at).ports; ++p)
        if (const auto peer = graph_.peer({at, p}); peer && !is_switch(peer->node) && free_.free({at, p}))
          if (const int rank = rank_of(peer->node); rank >= 0 && !has(tree, rank)) return PortRef{at, p};
      const int switches = switches_on_route_[index(at)];
      const bool stop = search_ == SwitchSearch::no_transit && switches > 1 && carries_members_[index(at)];
      if (!stop && switches < distance) reach(at, switches + 1, front);
    }
    return std::nullopt;
  }

  /// Adds the switches next to a node to the front of the search.
  void reach(int from, int switches, std::deque<int>& front) {
    for (int p = 0; p < graph_.node(from).ports; ++p) {
      const auto peer = graph_.peer({from, p});
      if (!peer || !is_switch(peer->node) || seen_[index(peer->node)] == search_number_ || !free_.free({from, p})) continue;
      seen_[index(peer->node)] = search_number_;
      came_by_[index(peer->node)] = {from, p};
      switches_on_route_[index(peer->node)] = switches;
      front.push_back(peer->node);
    }
  }

  SwitchSearch search_;
  std::vector<Parents> parents_;  ///< [tree]
  int links_ = 0;
  // State of the current search, by node.
  long search_number_ = 0;
  std::vector<long> seen_;
  std::vector<PortRef> came_by_;
  std::vector<int> switches_on_route_;
  std::vector<bool> carries_members_;  ///< a participant is attached to this switch
};

}  // namespace

std::unique_ptr<TreeGrowth> indirect_growth(const topology::Graph& graph, const std::vector<int>& members,
                                            SwitchSearch search) {
  return std::make_unique<IndirectGrowth>(graph, members, search);
}

}  // namespace tributary::collective
