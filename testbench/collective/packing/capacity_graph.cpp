#include "testbench/collective/packing/capacity_graph.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

namespace tributary::collective {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Flow =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                          boost::property<boost::edge_capacity_t, std::int64_t,
                                          boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                                          boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

/// Returns a flow network in which the reverse edges have no capacity.
Flow flow_graph(const CapacityGraph& graph) {
  Flow flow(static_cast<std::size_t>(graph.nodes));
  const auto capacity = boost::get(boost::edge_capacity, flow);
  const auto reverse = boost::get(boost::edge_reverse, flow);
  for (const CapacityEdge& e : graph.edges) {
    const auto from = static_cast<std::size_t>(e.from), to = static_cast<std::size_t>(e.to);
    const auto there = boost::add_edge(from, to, flow).first, back = boost::add_edge(to, from, flow).first;
    capacity[there] = e.capacity, capacity[back] = 0;
    reverse[there] = back, reverse[back] = there;
  }
  return flow;
}

/// Returns the far side of the cut: the nodes that cannot be reached from `root` over edges with residual capacity.
std::vector<int> far_side(const Flow& flow, int root) {
  const auto left = boost::get(boost::edge_residual_capacity, flow);
  std::vector<bool> seen(boost::num_vertices(flow), false);
  std::vector<std::size_t> reached{static_cast<std::size_t>(root)};
  seen[reached.front()] = true;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (auto [e, end] = boost::out_edges(reached[i], flow); e != end; ++e)
      if (left[*e] > 0 && !seen[boost::target(*e, flow)]) {
        seen[boost::target(*e, flow)] = true;
        reached.push_back(boost::target(*e, flow));
      }
  std::vector<int> far;
  for (std::size_t v = 0; v < seen.size(); ++v)
    if (!seen[v]) far.push_back(static_cast<int>(v));
  return far;
}

}  // namespace

CapacityGraph undirected_links(const topology::Allocation& allocation) {
  CapacityGraph graph{allocation.ranks(), {}};
  for (int a = 0; a < graph.nodes; ++a)
    for (int b = a + 1; b < graph.nodes; ++b)
      if (allocation.between(a, b) > 0) graph.edges.push_back({a, b, allocation.between(a, b)});
  return graph;
}

CapacityGraph directed_links(const topology::Allocation& allocation) {
  CapacityGraph graph{allocation.ranks(), {}};
  for (const CapacityEdge& e : undirected_links(allocation).edges)
    graph.edges.insert(graph.edges.end(), {e, {e.to, e.from, e.capacity}});
  return graph;
}

bool reaches_all(const CapacityGraph& directed, int root) {
  std::vector<bool> seen(static_cast<std::size_t>(directed.nodes), false);
  seen[static_cast<std::size_t>(root)] = true;
  int count = 1;
  for (bool grown = true; grown;) {
    grown = false;
    for (const CapacityEdge& e : directed.edges)
      if (e.capacity > 0 && seen[static_cast<std::size_t>(e.from)] && !seen[static_cast<std::size_t>(e.to)])
        seen[static_cast<std::size_t>(e.to)] = grown = true, ++count;
  }
  return count == directed.nodes;
}

RootCut least_cut(const CapacityGraph& directed, int root) {
  Flow flow = flow_graph(directed);
  RootCut least{-1, {}};
  for (int v = 0; v < directed.nodes; ++v) {
    if (v == root) continue;
    const auto capacity = boost::push_relabel_max_flow(flow, static_cast<std::size_t>(root), static_cast<std::size_t>(v));
    if (least.capacity < 0 || capacity < least.capacity) least = {capacity, far_side(flow, root)};
  }
  return least;
}

}  // namespace tributary::collective
