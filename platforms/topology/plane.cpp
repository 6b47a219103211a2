#include "platforms/topology/plane.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace tributary::topology {
namespace {

constexpr int first_plane = 0, left_out = -1;

/// Returns the number of each machine node in the plane, or left_out.
std::vector<int> numbers(const Graph& machine) {
  std::vector<int> number;
  int next = 0;
  for (const Node& node : machine.nodes())
    number.push_back(is_end(node.kind) || node.plane == first_plane ? next++ : left_out);
  return number;
}

/// Returns the number of GPUs per switch, in switch order.
std::vector<int> gpus_per_switch(const Graph& plane) {
  std::vector<int> count;
  for (const int s : plane.switches()) {
    int gpus = 0;
    for (int p = 0; p < plane.node(s).ports; ++p) {
      const auto peer = plane.peer({s, p});
      gpus += peer && is_end(plane.node(peer->node).kind);
    }
    count.push_back(gpus);
  }
  return count;
}

std::optional<BiGraphShape> as_bigraph(const Graph& plane) {
  const std::vector<int> gpus = gpus_per_switch(plane);
  if (gpus.size() != 2 || gpus[0] != gpus[1]) return std::nullopt;
  return BiGraphShape{gpus[0], 2};
}

}  // namespace

Network plane(const std::string& name, const Graph& machine) {
  const std::vector<int> number = numbers(machine);
  Graph graph;
  for (std::size_t n = 0; n < number.size(); ++n)
    if (number[n] != left_out) graph.add_node(machine.nodes()[n]);
  std::set<std::pair<int, int>> ends;  // the first of several links of a GPU to one switch
  for (const Link& link : machine.links()) {
    const int a = number[static_cast<std::size_t>(link.a.node)], b = number[static_cast<std::size_t>(link.b.node)];
    if (a == left_out || b == left_out) continue;
    const bool of_end = is_end(graph.node(a).kind) || is_end(graph.node(b).kind);
    if (!of_end || ends.insert(std::minmax(a, b)).second) graph.connect({a, link.a.port}, {b, link.b.port});
  }
  std::vector<int> ring = graph.endpoints();
  for (std::size_t i = 0; i < ring.size(); ++i)
    if (ring[i] != static_cast<int>(i)) throw TopologyError(name + ": its GPUs are not the first nodes");
  const auto bigraph = as_bigraph(graph);
  return {name, std::move(graph), std::nullopt, bigraph, std::move(ring)};
}

}  // namespace tributary::topology
