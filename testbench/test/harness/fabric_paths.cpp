#include "testbench/test/harness/fabric_paths.h"

#include <stdexcept>

#include "platforms/topology/switch_routing.h"

namespace tributary {

using topology::PortRef;

FabricPaths::FabricPaths(const Machine& machine, const std::vector<int>& members)
    : machine_(machine), routes_(graph().nodes().size()), multicast_(graph().nodes().size()) {
  const topology::Routes routes(graph());
  for (unsigned k = 0; k < machine_.shape.planes; ++k)
    planes_.push_back(topology::plane_switches(graph(), static_cast<int>(k)));
  const MulticastRegion region{0, 0, 128, {members.begin(), members.end()}};
  for (const int n : graph().switches()) {
    const auto i = static_cast<std::size_t>(n);
    routes_[i] = std::make_unique<RouteTable>(topology::routing_table(graph(), routes, n, machine_.shape.trunks));
    multicast_[i] = std::make_unique<MulticastTable>(1, static_cast<unsigned>(graph().node(n).ports));
    multicast_[i]->add(region, *routes_[i]);
  }
}

/// Goes from a GPU to its leaf; returns the port of the leaf.
PortRef FabricPaths::enter(int gpu, const FabricLocation& where, Route& route) const {
  route.push_back({gpu, where.plane});
  return graph().peer(route.back()).value();
}

Route FabricPaths::to_gpu(int from, int gpu, const FabricLocation& where) const {
  Route route;
  int at = from;
  if (graph().node(at).kind == topology::NodeKind::gpu) at = enter(at, where, route).node;
  while (at != gpu) {
    if (route.size() > 8) throw std::logic_error("a packet goes in circles");
    const auto index = static_cast<unsigned>(graph().node(gpu).index);
    route.push_back({at, static_cast<int>(routes(at).to_gpu(index, where.trunk))});
    at = graph().peer(route.back())->node;
  }
  return route;
}

Route FabricPaths::to_home(int gpu, const FabricLocation& where) const {
  Route route;
  const int home = switch_in_plane(where.plane, where.home_switch);
  int at = enter(gpu, where, route).node;
  while (at != home) {
    if (route.size() > 8) throw std::logic_error("a packet goes in circles");
    route.push_back({at, static_cast<int>(routes(at).to_switch(where.home_switch, where.trunk))});
    at = graph().peer(route.back())->node;
  }
  return route;
}

void FabricPaths::spread(int node, int in_port, unsigned trunk, Route& route) const {
  if (route.size() > 1000) throw std::logic_error("a multicast goes in circles");
  const MulticastTable& table = *multicast_.at(static_cast<std::size_t>(node));
  const MulticastTable::Row& row = table.find(0);
  const std::uint64_t outputs =
      in_port < 0 ? row.outputs[trunk] : table.outputs_except(row, trunk, static_cast<unsigned>(in_port));
  for (int port = 0; port < graph().node(node).ports; ++port) {
    if ((outputs >> port & 1u) == 0) continue;
    route.push_back({node, port});
    const PortRef far = graph().peer({node, port}).value();
    if (graph().node(far.node).kind == topology::NodeKind::switch_node) spread(far.node, far.port, trunk, route);
  }
}

Route FabricPaths::multicast_from_gpu(int gpu, const FabricLocation& where) const {
  Route route;
  const PortRef leaf = enter(gpu, where, route);
  spread(leaf.node, leaf.port, where.trunk, route);
  return route;
}

Route FabricPaths::multicast_from_home(const FabricLocation& where) const {
  Route route;
  spread(switch_in_plane(where.plane, where.home_switch), -1, where.trunk, route);
  return route;
}

LinkLoads::LinkLoads(const topology::Graph& graph) {
  for (const topology::Node& n : graph.nodes()) bytes_.emplace_back(static_cast<std::size_t>(n.ports), 0.0);
}

void LinkLoads::add(const Route& route, double bytes) {
  for (const PortRef end : route) bytes_[static_cast<std::size_t>(end.node)][static_cast<std::size_t>(end.port)] += bytes;
}

LinkLoads push_loads(const FabricPaths& paths, const AddressMap& map, const std::vector<int>& gpus, std::uint64_t blocks) {
  constexpr double data = 144, ack = 16;
  LinkLoads loads(paths.graph());
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const FabricLocation where = map.locate(b * 128);
    for (const int g : gpus) loads.add(paths.to_home(g, where), data + ack);
    loads.add(paths.multicast_from_home(where), data);
  }
  return loads;
}

}  // namespace tributary
