#include "testbench/collective/link_loads.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tributary::collective {
namespace {

using topology::End;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The way of each send.
class Ways {
 public:
  Ways(const topology::Network& network, const NetworkSchedule& schedule)
      : graph_(network.graph), schedule_(schedule), routes_(network) {
    if (!schedule.trees) return;
    for (const StepTree& tree : schedule.trees->trees) {
      edges_.emplace_back(schedule.nodes.size(), nullptr);
      for (const TreeEdge& e : tree.edges) edges_.back()[at(e.child)] = &e;
    }
  }

  std::vector<End> of(int rank, const Operation& send) const {
    if (!schedule_.trees) return routes_.route(schedule_.nodes[at(rank)], schedule_.nodes[at(send.peer)]);
    const int ranks = schedule_.schedule.ranks;
    const int t = schedule_.schedule.chunks == ranks ? send.chunk : send.chunk / ranks;
    const StepTree& tree = schedule_.trees->trees[at(t)];
    const TreeEdge* up = edges_[at(t)][at(rank)];
    if (up == nullptr || up->parent != send.peer) {
      const TreeEdge& down = *edges_[at(t)][at(send.peer)];
      return {tree.begin(down), tree.end(down)};
    }
    std::vector<End> way;
    for (const End* hop = tree.end(*up); hop != tree.begin(*up);) way.push_back(*graph_.peer(*--hop));
    return way;
  }

 private:
  const topology::Graph& graph_;
  const NetworkSchedule& schedule_;
  topology::PacketRoutes routes_;
  std::vector<std::vector<const TreeEdge*>> edges_;  ///< [tree][child]
};

struct LinkUse {
  int chunks = 0;
  std::set<std::pair<int, int>> flows;
};

}  // namespace

LinkLoads link_loads(const topology::Network& network, const NetworkSchedule& schedule) {
  const Ways ways(network, schedule);
  std::map<int, std::map<std::pair<int, int>, LinkUse>> steps;  // by link: (node, port)
  std::map<std::pair<int, int>, int> totals;
  const Schedule& s = schedule.schedule;
  for (int rank = 0; rank < s.ranks; ++rank)
    for (const Operation& o : s.programs[at(rank)]) {
      if (o.kind != OperationKind::send) continue;
      for (const End& hop : ways.of(rank, o)) {
        LinkUse& use = steps[o.step][{hop.node, hop.port}];
        ++use.chunks;
        use.flows.insert({rank, o.peer});
        ++totals[{hop.node, hop.port}];
      }
    }
  const double chunk = 1.0 / (s.chunks == s.ranks * s.ranks ? s.ranks : s.chunks);
  LinkLoads loads;
  loads.links = schedule.trees ? schedule.trees->links : 2 * static_cast<int>(network.graph.links().size());
  for (const auto& [step, links] : steps) {
    StepLoad load{step, static_cast<int>(links.size()), 0, 0};
    for (const auto& [link, use] : links) {
      load.flows = std::max(load.flows, static_cast<int>(use.flows.size()));
      load.busiest = std::max(load.busiest, use.chunks * chunk);
    }
    loads.steps.push_back(load);
  }
  for (const auto& [link, chunks] : totals) loads.busiest = std::max(loads.busiest, chunks * chunk);
  return loads;
}

double ideal_time(const NetworkSchedule& schedule, const LinkLoads& loads) {
  if (schedule.pipelined) return loads.busiest;
  double time = 0;
  for (const StepLoad& s : loads.steps) time += s.busiest;
  return time;
}

}  // namespace tributary::collective
