#include "testbench/collective/packing/spanning_tree.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "modules/base/index.h"

namespace tributary::collective {
namespace {

/// The order of edges: by cost, then by the distance of the edge's begin from the root.
struct Cost {
  double price = 0;
  int distance = 0;
};
bool operator<(const Cost& a, const Cost& b) { return a.price != b.price ? a.price < b.price : a.distance < b.distance; }
Cost operator-(const Cost& a, const Cost& b) { return {a.price - b.price, a.distance - b.distance}; }

/// An edge of one level of contraction. `below`: its number on the level below.
struct LevelEdge {
  int from, to;
  Cost cost;
  int below;
};

/// Returns the numbers of the edges of the cheapest arborescence.
std::vector<int> solve(int nodes, int root, const std::vector<LevelEdge>& edges) {
  std::vector<int> best(at(nodes), -1);  // the cheapest edge into each node
  for (int e = 0; e < static_cast<int>(edges.size()); ++e) {
    const int v = edges[at(e)].to;
    if (v != root && (best[at(v)] < 0 || edges[at(e)].cost < edges[at(best[at(v)])].cost)) best[at(v)] = e;
  }
  // The nodes of a cycle are contracted to one node.
  std::vector<int> seen(at(nodes), -1), group(at(nodes), -1);
  int groups = 0;
  for (int start = 0; start < nodes; ++start) {
    int v = start;
    while (v != root && seen[at(v)] < 0) seen[at(v)] = start, v = edges[at(best[at(v)])].from;
    if (v == root || seen[at(v)] != start || group[at(v)] >= 0) continue;
    for (int u = v; group[at(u)] < 0; u = edges[at(best[at(u)])].from) group[at(u)] = groups;
    ++groups;
  }
  std::vector<int> chosen;
  if (groups == 0) {
    for (int v = 0; v < nodes; ++v)
      if (v != root) chosen.push_back(best[at(v)]);
    return chosen;
  }
  const int cycles = groups;
  for (int& g : group)
    if (g < 0) g = groups++;
  std::vector<LevelEdge> above;
  for (int e = 0; e < static_cast<int>(edges.size()); ++e) {
    const LevelEdge& edge = edges[at(e)];
    const int from = group[at(edge.from)], to = group[at(edge.to)];
    if (from == to || edge.to == root) continue;
    above.push_back({from, to, to < cycles ? edge.cost - edges[at(best[at(edge.to)])].cost : edge.cost, e});
  }
  std::vector<bool> entered(at(nodes), false);
  for (const int e : solve(groups, group[at(root)], above)) {
    chosen.push_back(above[at(e)].below);
    entered[at(edges[at(chosen.back())].to)] = true;
  }
  for (int v = 0; v < nodes; ++v)
    if (v != root && group[at(v)] < cycles && !entered[at(v)]) chosen.push_back(best[at(v)]);
  return chosen;
}

std::vector<int> distances(const CapacityGraph& graph, int root) {
  std::vector<int> distance(at(graph.nodes), graph.nodes);
  distance[at(root)] = 0;
  for (int round = 1; round < graph.nodes; ++round)
    for (const CapacityEdge& e : graph.edges) distance[at(e.to)] = std::min(distance[at(e.to)], distance[at(e.from)] + 1);
  return distance;
}

[[noreturn]] void not_reached(int node, int from) {
  throw std::logic_error("no spanning tree: no edges lead to node " + std::to_string(node) + " from node " +
                         std::to_string(from));
}

int find(std::vector<int>& above, int v) {
  while (above[at(v)] != v) v = above[at(v)] = above[at(above[at(v)])];
  return v;
}

}  // namespace

EdgeSet cheapest_arborescence(const CapacityGraph& directed, int root, const std::vector<double>& costs) {
  const std::vector<int> distance = distances(directed, root);
  for (int v = 0; v < directed.nodes; ++v)
    if (distance[at(v)] == directed.nodes) not_reached(v, root);
  std::vector<LevelEdge> edges;
  for (std::size_t e = 0; e < directed.edges.size(); ++e) {
    const CapacityEdge& edge = directed.edges[e];
    edges.push_back({edge.from, edge.to, {costs[e], distance[at(edge.from)]}, static_cast<int>(e)});
  }
  EdgeSet tree = solve(directed.nodes, root, edges);
  std::sort(tree.begin(), tree.end());
  return tree;
}

EdgeSet cheapest_spanning_tree(const CapacityGraph& undirected, const std::vector<double>& costs) {
  std::vector<int> order(undirected.edges.size()), above(at(undirected.nodes));
  std::iota(order.begin(), order.end(), 0);
  std::iota(above.begin(), above.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return costs[at(a)] < costs[at(b)]; });
  EdgeSet tree;
  for (const int e : order) {
    const int a = find(above, undirected.edges[at(e)].from), b = find(above, undirected.edges[at(e)].to);
    if (a == b) continue;
    above[at(a)] = b;
    tree.push_back(e);
  }
  for (int v = 0; v < undirected.nodes; ++v)
    if (find(above, v) != find(above, 0)) not_reached(v, 0);
  std::sort(tree.begin(), tree.end());
  return tree;
}

int RootedTree::height() const { return *std::max_element(depth.begin(), depth.end()); }

RootedTree rooted_tree(const CapacityGraph& graph, const EdgeSet& edges, int root, bool along) {
  RootedTree tree{root, std::vector<int>(at(graph.nodes), -1), std::vector<int>(at(graph.nodes), -1)};
  tree.depth[at(root)] = 0;
  std::vector<int> reached{root};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const int u = reached[i];
    for (const int number : edges) {
      const CapacityEdge& e = graph.edges.at(at(number));
      const int v = e.from == u ? e.to : !along && e.to == u ? e.from : u;
      if (v == u || tree.depth[at(v)] >= 0) continue;
      tree.parent[at(v)] = u;
      tree.depth[at(v)] = tree.depth[at(u)] + 1;
      reached.push_back(v);
    }
  }
  if (reached.size() != at(graph.nodes) || edges.size() + 1 != reached.size())
    throw std::logic_error("a tree of " + std::to_string(edges.size()) + " edges from node " + std::to_string(root) +
                           " reaches " + std::to_string(reached.size()) + " of " + std::to_string(graph.nodes) + " nodes");
  return tree;
}

int centre(const CapacityGraph& undirected, const EdgeSet& edges) {
  int best = 0, least = undirected.nodes;
  for (int v = 0; v < undirected.nodes; ++v) {
    const int height = rooted_tree(undirected, edges, v, false).height();
    if (height < least) least = height, best = v;
  }
  return best;
}

}  // namespace tributary::collective
