#include <algorithm>
#include <deque>

#include "modules/protocol/source_route.h"
#include "testbench/collective/tree/tree_growth.h"

namespace tributary::collective {
namespace {

using topology::PortRef;

constexpr int any_distance = 1 << 20, switches_of_header = static_cast<int>(SourceRoute::max_hops) - 1;

class IndirectGrowth : public TreeGrowth {
 public:
  IndirectGrowth(const topology::Graph& graph, const std::vector<int>& members, const MultiTreeOptions& options)
      : TreeGrowth(graph, members),
        search_(options.search),
        up_down_(options.up_down),
        farthest_(farthest(graph, options.up_down)),
        parents_(members.size()),
        seen_(2 * graph.nodes().size(), 0),
        came_by_(2 * graph.nodes().size()),
        switches_on_route_(2 * graph.nodes().size(), 0),
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
    for (Parents& parents : parents_) {
      parents.end = parents.ranks.size();
      parents.next.assign(static_cast<std::size_t>(passes()), 0);
    }
  }

  std::optional<Addition> grow(int tree) override {
    const int most = up_down_ == nullptr ? any_distance : std::max(switches_of_header, farthest_);
    if (search_ != SwitchSearch::nearest) return grow(tree, most, 0);
    for (int d = 0; d < passes(); ++d)
      if (auto addition = grow(tree, d + 1, static_cast<std::size_t>(d))) return addition;
    return std::nullopt;
  }

 private:
  /// All ranks of a tree, in order of addition. Ranks before next[d] cannot add a node at distance d in this step.
  struct Parents {
    std::vector<int> ranks;
    std::size_t end = 0;
    std::vector<std::size_t> next;
  };

  /// Returns the largest number of switches between two ends.
  static int farthest(const topology::Graph& graph, const topology::UpDown* up_down) {
    return up_down != nullptr ? up_down->most_switches() : static_cast<int>(topology::diameter(graph)) - 1;
  }
  /// Returns the number of distances that are searched one after another: three, or as many as the network requires.
  int passes() const { return search_ == SwitchSearch::nearest ? std::max(3, farthest_) : 1; }

  static std::size_t index(int node) { return static_cast<std::size_t>(node); }
  /// A switch, and whether a link down has led to it.
  struct Place {
    int node = 0;
    bool down = false;
  };
  static std::size_t index(Place place) { return 2 * index(place.node) + (place.down ? 1 : 0); }
  struct Step {
    PortRef port;
    bool down = false;  ///< a link down has led to the node of the port
  };
  bool is_switch(int node) const { return !topology::is_end(graph_.node(node).kind); }

  std::optional<Addition> grow(int tree, int distance, std::size_t pass) {
    Parents& parents = parents_[index(tree)];
    for (std::size_t& next = parents.next[pass]; next < parents.end; ++next) {
      const int p = parents.ranks[next];
      const auto last = find(tree, p, distance);
      if (!last) continue;
      Addition addition{p, rank_of(graph_.peer(last->port)->node), {last->port}};
      for (Place at{last->port.node, last->down}; at.node != members_[index(p)];) {
        const Step& step = came_by_[index(at)];
        addition.hops.push_back(step.port);
        at = {step.port.node, step.down};
      }
      std::reverse(addition.hops.begin(), addition.hops.end());
      take(tree, addition);
      parents.ranks.push_back(addition.child);
      return addition;
    }
    return std::nullopt;
  }

  /// Searches breadth first over free links. Returns the last link to the first node that the tree lacks.
  std::optional<Step> find(int tree, int parent, int distance) {
    ++search_number_;
    std::deque<Place> front;
    reach({members_[index(parent)], false}, 1, front);
    while (!front.empty()) {
      const Place at = front.front();
      front.pop_front();
      for (int p = 0; p < graph_.node(at.node).ports; ++p)
        if (const auto peer = graph_.peer({at.node, p}); peer && !is_switch(peer->node) && free_.free({at.node, p}))
          if (const int rank = rank_of(peer->node); rank >= 0 && !has(tree, rank)) return Step{{at.node, p}, at.down};
      const int switches = switches_on_route_[index(at)];
      const bool stop = search_ == SwitchSearch::no_transit && switches > 1 && carries_members_[index(at.node)];
      if (!stop && switches < distance) reach(at, switches + 1, front);
    }
    return std::nullopt;
  }

  /// Adds the switches next to a node to the front of the search. With UpDown no link up follows a link down.
  void reach(Place from, int switches, std::deque<Place>& front) {
    for (int p = 0; p < graph_.node(from.node).ports; ++p) {
      const PortRef port{from.node, p};
      const auto peer = graph_.peer(port);
      if (!peer || !is_switch(peer->node) || !free_.free(port)) continue;
      const bool down = up_down_ != nullptr && is_switch(from.node) && !up_down_->leads_up(port);
      if (from.down && !down) continue;
      const Place next{peer->node, down};
      if (seen_[index(next)] == search_number_) continue;
      seen_[index(next)] = search_number_;
      came_by_[index(next)] = {port, from.down};
      switches_on_route_[index(next)] = switches;
      front.push_back(next);
    }
  }

  SwitchSearch search_;
  const topology::UpDown* up_down_;  ///< null: all paths are legal
  int farthest_;
  std::vector<Parents> parents_;  ///< [tree]
  int links_ = 0;
  // State of the current search, by place.
  long search_number_ = 0;
  std::vector<long> seen_;
  std::vector<Step> came_by_;
  std::vector<int> switches_on_route_;
  std::vector<bool> carries_members_;  ///< a participant is attached to this switch
};

}  // namespace

std::unique_ptr<TreeGrowth> indirect_growth(const topology::Graph& graph, const std::vector<int>& members,
                                            const MultiTreeOptions& options) {
  return std::make_unique<IndirectGrowth>(graph, members, options);
}

}  // namespace tributary::collective
