#include "platforms/topology/route_cycles.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace tributary::topology {
namespace {

using Channel = std::pair<int, int>;  // a switch, and its port towards another switch

class Survey {
 public:
  explicit Survey(const Network& network) : graph_(network.graph), routes_(network.graph) {
    for (int from = 0; from < network.size(); ++from)
      for (int to = 0; to < network.size(); ++to)
        if (from != to) follow(from, to);
    for (const auto& [channel, next] : after_)
      if (result.circle.empty()) search(channel);
  }

  RouteSurvey result;

 private:
  bool switches(int node) const { return graph_.node(node).kind == NodeKind::switch_node; }

  /// Follows all shortest paths simultaneously, hop by hop.
  void follow(int from, int to) {
    std::set<std::pair<int, Channel>> at{{from, {-1, -1}}};  // nodes, and the channel by which each was reached
    for (int hops = 0; !at.empty(); ++hops) {
      std::set<std::pair<int, Channel>> next;
      for (const auto& [node, came] : at)
        for (const int port : routes_.next_hops(node, to)) {
          const int peer = graph_.peer({node, port})->node;
          const bool channel = switches(node) && switches(peer);
          const Channel here{node, port};
          if (channel) after_[here];
          if (channel && came.first >= 0) after_[came].insert(here);
          if (peer != to) next.insert({peer, channel ? here : Channel{-1, -1}});
        }
      if (!next.empty()) result.most_switches = std::max(result.most_switches, hops + 1);
      at = std::move(next);
    }
  }

  /// Depth-first search without recursion.
  void search(const Channel& start) {
    if (done_.count(start) != 0) return;
    std::vector<std::pair<Channel, std::set<Channel>::const_iterator>> route{{start, after_.at(start).begin()}};
    std::set<Channel> open{start};
    while (!route.empty()) {
      auto& [channel, next] = route.back();
      if (next == after_.at(channel).end()) {
        done_.insert(channel), open.erase(channel), route.pop_back();
      } else if (const Channel to = *next++; open.count(to) != 0) {
        return tell(route, to);
      } else if (done_.count(to) == 0) {
        open.insert(to), route.push_back({to, after_.at(to).begin()});
      }
    }
  }

  template <class Route>
  void tell(const Route& route, const Channel& first) {
    auto at = std::find_if(route.begin(), route.end(), [&](const auto& w) { return w.first == first; });
    for (; at != route.end(); ++at) result.circle += graph_.node(at->first.first).name + " > ";
    result.circle += graph_.node(first.first).name;
  }

  const Graph& graph_;
  Routes routes_;
  std::map<Channel, std::set<Channel>> after_;
  std::set<Channel> done_;
};

}  // namespace

RouteSurvey survey_routes(const Network& network) { return Survey(network).result; }

}  // namespace tributary::topology
