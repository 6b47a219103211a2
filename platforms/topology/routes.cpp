#include "platforms/topology/routes.h"

#include <algorithm>
#include <deque>
#include <map>

namespace tributary::topology {
namespace {

constexpr int unreachable = -1;

/// Returns the hops from every node of its island to `to`, over paths whose inner nodes forward.
std::vector<int> distances(const Graph& graph, int to) {
  std::vector<int> distance(graph.nodes().size(), unreachable);
  distance[static_cast<std::size_t>(to)] = 0;
  std::deque<int> front{to};
  while (!front.empty()) {
    const int n = front.front();
    front.pop_front();
    if (n != to && !forwards(graph.node(n).kind)) continue;
    for (int p = 0; p < graph.node(n).ports; ++p) {
      const auto peer = graph.peer({n, p});
      if (!peer || distance[static_cast<std::size_t>(peer->node)] != unreachable) continue;
      if (graph.node(peer->node).island != graph.node(to).island) continue;
      distance[static_cast<std::size_t>(peer->node)] = distance[static_cast<std::size_t>(n)] + 1;
      front.push_back(peer->node);
    }
  }
  return distance;
}

/// Returns the ports of `from` whose neighbour is nearest to `to`, separately for each plane, since only GPUs connect
/// to several.
std::vector<int> shortest_ports(const Graph& graph, int from, int to, const std::vector<int>& distance) {
  std::map<int, std::pair<int, std::vector<int>>> nearest;  // plane of the neighbour -> distance, ports
  for (int p = 0; p < graph.node(from).ports; ++p) {
    const auto peer = graph.peer({from, p});
    if (!peer || distance[static_cast<std::size_t>(peer->node)] == unreachable) continue;
    if (peer->node != to && !forwards(graph.node(peer->node).kind)) continue;
    const int hops = distance[static_cast<std::size_t>(peer->node)];
    const int plane = graph.node(from).kind == NodeKind::gpu ? graph.node(peer->node).plane : 0;
    auto& [best, ports] = nearest.try_emplace(plane, hops, std::vector<int>{}).first->second;
    if (hops < best) best = hops, ports.clear();
    if (hops == best) ports.push_back(p);
  }
  std::vector<int> all;
  for (const auto& [plane, entry] : nearest) all.insert(all.end(), entry.second.begin(), entry.second.end());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

Routes::Routes(const Graph& graph, int island) : place_(graph.nodes().size(), -1) {
  const std::vector<int> nodes = graph.of_island(island);
  for (const int n : nodes) place_[static_cast<std::size_t>(n)] = static_cast<int>(size_++);
  hops_.resize(size_ * size_);
  for (const int to : nodes) {
    const std::vector<int> distance = distances(graph, to);
    for (const int from : nodes)
      if (from != to) hops_[at(from, to)] = shortest_ports(graph, from, to, distance);
  }
}

int Routes::port(int from, int to, unsigned j) const {
  const std::vector<int>& hops = next_hops(from, to);
  if (hops.empty()) throw TopologyError("no path from node " + std::to_string(from) + " to node " + std::to_string(to));
  return hops[j % hops.size()];
}

}  // namespace tributary::topology
