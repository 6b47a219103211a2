#include "platforms/topology/switch_routing.h"

namespace tributary::topology {

std::vector<int> plane_switches(const Graph& graph, int plane) {
  std::vector<int> found;
  for (const int n : graph.switches())
    if (graph.node(n).plane == plane) found.push_back(n);
  return found;
}

namespace {

bool joined(const Graph& graph, const Routes& routes, int switch_number, int gpu) {
  const std::vector<int>& hops = routes.next_hops(switch_number, gpu);
  return !hops.empty() && graph.peer({switch_number, hops.front()})->node == gpu;
}

}  // namespace

RouteTable routing_table(const Graph& graph, const Routes& routes, int switch_number, unsigned route_count, unsigned links) {
  const Node& here = graph.node(switch_number);
  const std::vector<int> switches = plane_switches(graph, here.plane), gpus = graph.gpus();
  RouteTable table(static_cast<unsigned>(gpus.size()), static_cast<unsigned>(switches.size()), route_count);
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
