#include "platforms/topology/lane_plan.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tributary::topology {
namespace {

using Group = std::pair<int, int>;  ///< island, group

/// A node in a sequence of which each lane gets a piece.
struct Place {
  Group group;
  double in_group;  ///< 0 to 1 among the nodes of one kind, so that each piece has nodes of all kinds
  int node;
};

std::vector<double> weights(const Graph& graph) {
  std::vector<double> of_node(graph.nodes().size(), 1);
  for (const Link& link : graph.links())
    for (const PortRef end : {link.a, link.b}) of_node[static_cast<std::size_t>(end.node)] += 1;
  return of_node;
}

bool above_groups(const Node& node) { return node.group == no_group; }

std::vector<Place> sequence(const Graph& graph) {
  std::map<std::pair<Group, NodeKind>, int> seen, all;
  const auto key = [](const Node& node) { return std::pair(Group(node.island, node.group), node.kind); };
  for (const Node& node : graph.nodes()) ++all[key(node)];
  std::vector<Place> places;
  for (int n = 0; n < static_cast<int>(graph.nodes().size()); ++n) {
    const Node& node = graph.node(n);
    if (above_groups(node)) continue;
    const int index = seen[key(node)]++;
    places.push_back({key(node).first, (index + 0.5) / all[key(node)], n});
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(a.group, a.in_group) < std::pair(b.group, b.in_group);
  });
  return places;
}

/// Numbers the lanes again without those that got no node.
void compress(LanePlan& plan) {
  std::map<unsigned, unsigned> used;
  for (const unsigned lane : plan.of_node) used[lane];
  unsigned next = 0;
  for (auto& lane : used) lane.second = next++;
  for (unsigned& lane : plan.of_node) lane = used[lane];
  plan.count = std::max(1u, next);
}

}  // namespace

LanePlan partition(const Graph& graph, unsigned lanes) {
  if (lanes <= 1) return {};
  const std::vector<double> weight = weights(graph);
  const std::vector<Place> places = sequence(graph);
  std::map<Group, double> of_group;
  double all = 0;
  for (const Place& p : places) of_group[p.group] += weight[static_cast<std::size_t>(p.node)];
  for (const auto& group : of_group) all += group.second;
  const auto lane_at = [&](double position) {
    return std::min(lanes - 1, static_cast<unsigned>(position / all * static_cast<double>(lanes)));
  };
  LanePlan plan{lanes, std::vector<unsigned>(graph.nodes().size())};
  const bool whole = of_group.size() >= lanes;
  double before = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double own = weight[static_cast<std::size_t>(places[i].node)];
    const double group = of_group[places[i].group];
    const bool first = i == 0 || places[i - 1].group != places[i].group;
    unsigned& lane = plan.of_node[static_cast<std::size_t>(places[i].node)];
    lane = whole && !first ? plan.of_node[static_cast<std::size_t>(places[i - 1].node)]
                           : lane_at(before + (whole ? group : own) / 2);
    if (!whole)
      before += own;
    else if (i + 1 == places.size() || places[i + 1].group != places[i].group)
      before += group;
  }
  unsigned turn = 0;
  for (int n = 0; n < static_cast<int>(graph.nodes().size()); ++n)
    if (above_groups(graph.node(n))) plan.of_node[static_cast<std::size_t>(n)] = turn++ % lanes;
  compress(plan);
  return plan;
}

}  // namespace tributary::topology
