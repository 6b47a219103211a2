#include "platforms/topology/graph.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace tributary::topology {

int Graph::add_node(Node node) {
  for (const Node& n : nodes_)
    if (n.name == node.name) throw TopologyError("two nodes are named " + node.name);
  if (node.ports < 0) throw TopologyError(node.name + ": a node has 0 or more ports");
  peers_.emplace_back(static_cast<std::size_t>(node.ports));
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

void Graph::connect(PortRef a, PortRef b) {
  if (a == b) throw TopologyError(name(a) + " cannot be linked to itself");
  for (const PortRef& end : {a, b})
    if (const auto other = slot(end))
      throw TopologyError(name(end) + " is already linked to " + name(*other) + "; a port has one link");
  slot(a) = b;
  slot(b) = a;
  links_.push_back({a, b});
}

std::optional<PortRef> Graph::peer(PortRef end) const {
  return peers_.at(static_cast<std::size_t>(end.node)).at(static_cast<std::size_t>(end.port));
}

int Graph::find(const std::string& name) const {
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].name == name) return static_cast<int>(n);
  throw TopologyError("no node is named " + name);
}

std::string Graph::name(PortRef end) const { return node(end.node).name + ".port" + std::to_string(end.port); }

std::vector<int> Graph::of_kind(NodeKind kind) const {
  std::vector<int> found;
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].kind == kind) found.push_back(static_cast<int>(n));
  return found;
}

std::vector<int> Graph::endpoints() const {
  std::vector<int> found;
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (is_end(nodes_[n].kind)) found.push_back(static_cast<int>(n));
  return found;
}

std::vector<int> Graph::of_island(int island) const {
  std::vector<int> found;
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].island == island) found.push_back(static_cast<int>(n));
  return found;
}

int Graph::islands() const {
  int count = 0;
  for (const Node& node : nodes_) count = std::max(count, node.island + 1);
  return count;
}

std::optional<PortRef>& Graph::slot(PortRef end) {
  if (end.node < 0 || end.node >= static_cast<int>(nodes_.size()))
    throw TopologyError("no node " + std::to_string(end.node) + "; nodes are 0 to " + std::to_string(nodes_.size() - 1));
  if (end.port < 0 || end.port >= node(end.node).ports)
    throw TopologyError(name(end) + " does not exist; " + node(end.node).name + " has " +
                        std::to_string(node(end.node).ports) + " ports");
  return peers_[static_cast<std::size_t>(end.node)][static_cast<std::size_t>(end.port)];
}

std::vector<int> all_nodes(const Graph& graph) {
  std::vector<int> all(graph.nodes().size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

WakeOrder wake_order(const Graph& graph) { return wake_order(graph, all_nodes(graph)); }

WakeOrder wake_order(const Graph& graph, const std::vector<int>& nodes, Groups groups) {
  std::vector<bool> counts(graph.nodes().size());
  for (const int n : nodes) counts[static_cast<std::size_t>(n)] = true;
  std::vector<std::optional<unsigned>> distance(graph.nodes().size());
  std::deque<int> next;
  const auto reach = [&](int node, unsigned at) {
    std::optional<unsigned>& d = distance[static_cast<std::size_t>(node)];
    if (!d) d = at, next.push_back(node);
  };
  for (const int end : graph.endpoints()) {  // later ends only matter if the first one is not connected to all nodes
    if (!counts[static_cast<std::size_t>(end)]) continue;
    for (reach(end, 0); !next.empty(); next.pop_front()) {
      const int node = next.front();
      for (int port = 0; port < graph.node(node).ports; ++port)
        if (const auto peer = graph.peer({node, port}))
          if (counts[static_cast<std::size_t>(peer->node)] && graph.node(peer->node).island == graph.node(node).island)
            reach(peer->node, *distance[static_cast<std::size_t>(node)] + 1);
    }
  }
  const auto key = [&](int n) {
    const Node& node = graph.node(n);
    const int group = node.group == no_group ? std::numeric_limits<int>::max() : node.group;
    const bool together = groups == Groups::together && node.kind != NodeKind::nic_router;
    const bool even = !together && distance[static_cast<std::size_t>(n)].value_or(1) % 2 == 0;
    const int in_group = !forwards(node.kind) ? 2 : even ? 1 : 0;
    const bool one_group = node.kind == NodeKind::nic_router || (together && node.group != no_group);
    return std::pair(one_group ? 0 : group, in_group);
  };
  std::map<std::pair<int, int>, unsigned> order;
  for (const int n : nodes) order[key(n)];
  WakeOrder wake;
  for (auto& entry : order) entry.second = wake.count++;
  for (const int n : nodes) wake.of_node.push_back(order[key(n)]);
  return wake;
}

unsigned diameter(const Graph& graph, int island) {
  unsigned longest = 0;
  for (const int end : graph.endpoints()) {
    if (graph.node(end).island != island) continue;
    std::vector<std::optional<unsigned>> distance(graph.nodes().size());
    distance[static_cast<std::size_t>(end)] = 0;
    for (std::deque<int> next{end}; !next.empty(); next.pop_front()) {
      const unsigned here = *distance[static_cast<std::size_t>(next.front())];
      if (is_end(graph.node(next.front()).kind)) longest = std::max(longest, here);
      if (next.front() != end && !forwards(graph.node(next.front()).kind)) continue;
      for (int port = 0; port < graph.node(next.front()).ports; ++port) {
        const auto peer = graph.peer({next.front(), port});
        if (!peer || graph.node(peer->node).island != island || distance[static_cast<std::size_t>(peer->node)]) continue;
        distance[static_cast<std::size_t>(peer->node)] = here + 1;
        next.push_back(peer->node);
      }
    }
  }
  return longest;
}

int group_count(const Graph& graph, int island) {
  std::set<int> groups;
  for (const int n : graph.gpus())
    if (graph.node(n).island == island) groups.insert(graph.node(n).group);
  return static_cast<int>(groups.size());
}

}  // namespace tributary::topology
