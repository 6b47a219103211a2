#include "platforms/topology/switch_routing.h"

namespace tributary::topology {

std::vector<int> plane_switches(const Graph& graph, int plane, int island) {
  std::vector<int> found;
  for (const int n : graph.switches())
    if (graph.node(n).plane == plane && graph.node(n).island == island) found.push_back(n);
  return found;
}

namespace {

/// Returns the GPUs of an island, ascending.
std::vector<int> gpus_of(const Graph& graph, int island) {
  std::vector<int> found;
  for (const int n : graph.gpus())
    if (graph.node(n).island == island) found.push_back(n);
  return found;
}

bool joined(const Graph& graph, const Routes& routes, int switch_number, int gpu) {
  const std::vector<int>& hops = routes.next_hops(switch_number, gpu);
  return !hops.empty() && graph.peer({switch_number, hops.front()})->node == gpu;
}

}  // namespace

RouteTable routing_table(const Graph& graph, const Routes& routes, int switch_number, unsigned route_count, unsigned links) {
  const Node& here = graph.node(switch_number);
  const std::vector<int> switches = plane_switches(graph, here.plane, here.island), gpus = gpus_of(graph, here.island);
  const unsigned numbers = gpus.empty() ? 0 : static_cast<unsigned>(graph.node(gpus.back()).index + 1);
  RouteTable table(numbers, static_cast<unsigned>(switches.size()), route_count);
  for (unsigned j = 0; j < route_count; ++j) {
    for (unsigned index = 0; index < switches.size(); ++index) {
      const int to = switches[index];
      const bool both_spines = here.group == no_group && graph.node(to).group == no_group;
      if (to != switch_number && !both_spines)
        table.set_switch(index, j, static_cast<unsigned>(routes.port(switch_number, to, j / links)));
    }
    for (const int to : gpus) {
      const unsigned turn = joined(graph, routes, switch_number, to) ? j % links : j / links;
      table.set_gpu(static_cast<unsigned>(graph.node(to).index), j,
                    static_cast<unsigned>(routes.port(switch_number, to, turn)));
    }
  }
  return table;
}

}  // namespace tributary::topology
