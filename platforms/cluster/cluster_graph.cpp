#include "platforms/cluster/cluster_graph.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "platforms/topology/islands.h"
#include "platforms/topology/rack_counts.h"

namespace tributary {
namespace {

using topology::Graph;
using topology::Node;
using topology::NodeKind;
using topology::RackCounts;

bool is_rails(ClusterFabric fabric) { return fabric == ClusterFabric::rails || fabric == ClusterFabric::rail_leaf_spine; }

/// Returns the numbers of switches and hosts of the network, without accelerators.
RackCounts counts_of(const ClusterParams& params, int servers, int nics) {
  RackCounts counts;
  if (is_rails(params.fabric))
    counts.racks = nics, counts.hosts = servers;
  else if (params.fabric == ClusterFabric::leaf_spine)
    counts.racks = cluster_racks(params, servers, nics), counts.hosts = servers / counts.racks * nics;
  else
    counts.hosts = servers * nics;
  const bool spines = params.fabric == ClusterFabric::rail_leaf_spine || params.fabric == ClusterFabric::leaf_spine;
  if (spines && counts.racks > 1) counts.spines = static_cast<int>(std::ceil(counts.hosts / params.oversubscription));
  return counts;
}

int most_ports_of(const RackCounts& counts) {
  const int leaf = counts.hosts + counts.accelerator_ports + counts.spines,
            spine = counts.spines == 0 ? 0 : counts.racks * (counts.accelerator_ports > 0 ? 2 : 1);
  return std::max(leaf, spine);
}

/// Refuses switches with more ports than a switch of the model has.
void check_ports(const RackCounts& counts) {
  const int most = most_ports_of(counts);
  if (most > most_switch_ports)
    throw std::invalid_argument("a switch of the network needs " + std::to_string(most) + " ports (legal: at most " +
                                std::to_string(most_switch_ports) +
                                ", with fewer servers or another cluster.fabric; --mode fluid has no limit)");
}

/// Returns the host of each NIC, by server and NIC.
std::vector<int> hosts_of(ClusterFabric fabric, int servers, int nics) {
  std::vector<int> hosts;
  for (int s = 0; s < servers; ++s)
    for (int k = 0; k < nics; ++k) hosts.push_back(is_rails(fabric) ? k * servers + s : s * nics + k);
  return hosts;
}

/// Returns the name of a switch, accelerator or spine of rails.
std::string rail_name(const Node& node) {
  if (node.group == topology::no_group) return node.name;
  const bool accelerator = node.name.rfind("accelerator", 0) == 0;
  return "rail" + std::to_string(node.group) + (accelerator ? "_accelerator" : "_switch");
}

void add_nodes_of_servers(const Graph& servers, Graph& all) {
  for (Node node : servers.nodes()) {
    if (node.kind == NodeKind::gpu) ++node.ports;
    all.add_node(std::move(node));
  }
}

/// Adds the NICs and switches of the network. They are the island after those of the servers.
void add_nodes_of_network(const ClusterGraph& cluster, const ClusterServer& server, bool rails, Graph& all) {
  std::vector<std::size_t> nic_of_host(cluster.hosts.size());
  for (std::size_t i = 0; i < cluster.hosts.size(); ++i) nic_of_host[static_cast<std::size_t>(cluster.hosts[i])] = i;
  const auto nics = static_cast<std::size_t>(server.nics);
  const int island = all.islands(), first_switch = static_cast<int>(all.switches().size());
  for (Node node : cluster.network.graph.nodes()) {
    if (node.kind == NodeKind::nic) {
      const std::size_t nic = nic_of_host[static_cast<std::size_t>(node.index)];
      node.name = "nic" + std::to_string(nic / nics) + "_" + std::to_string(nic % nics);
      const auto number = static_cast<int>(nic % nics);
      node.ports += static_cast<int>(std::count(server.nic_of.begin(), server.nic_of.end(), number));
    } else {
      if (rails) node.name = rail_name(node);
      node.index += first_switch;
    }
    node.island = island;
    all.add_node(std::move(node));
  }
}

/// Joins each GPU to its NIC, whose ports follow the order of its GPUs.
void join_gpus(const ClusterGraph& cluster, const ClusterServer& server, Graph& all) {
  std::vector<int> next(cluster.hosts.size(), 1);
  for (const int gpu : all.gpus()) {
    const int place =
        all.node(gpu).island * server.nics + server.nic_of.at(static_cast<std::size_t>(all.node(gpu).index % server.gpus));
    const auto nic = static_cast<std::size_t>(place);
    all.connect({gpu, all.node(gpu).ports - 1}, {cluster.first_network_node + cluster.hosts.at(nic), next[nic]++});
  }
}

}  // namespace

int cluster_racks(const ClusterParams& params, int servers, int nics) {
  constexpr int most_nics = 32;
  if (!params.racks) {
    int racks = 1;
    while (racks < servers && (servers % racks != 0 || servers / racks * nics > most_nics)) ++racks;
    return racks;
  }
  const int racks = static_cast<int>(*params.racks);
  if (servers % racks != 0)
    throw std::invalid_argument("cluster.racks=" + std::to_string(racks) + " cannot hold " + std::to_string(servers) +
                                " servers in equal numbers (legal: a divisor)");
  return racks;
}

int most_ports(const ClusterParams& params, int servers, int nics) {
  return servers == 1 ? 0 : most_ports_of(counts_of(params, servers, nics));
}

ClusterGraph cluster_graph(const Graph& machine, const ClusterServer& server, int servers, const ClusterParams& params,
                           const ClusterNetwork& network) {
  ClusterGraph cluster;
  const Graph islands = topology::islands(machine, servers);
  cluster.server_nodes = topology::all_nodes(islands);
  cluster.first_network_node = static_cast<int>(cluster.server_nodes.size());
  if (servers == 1 || !network.nics) {
    cluster.graph = islands;
    return cluster;
  }
  RackCounts counts = counts_of(params, servers, server.nics);
  if (network.accelerators) counts.accelerator_ports = counts.hosts + (counts.spines > 0 ? 1 : 0);
  check_ports(counts);
  cluster.network = topology::racks(counts);
  cluster.hosts = hosts_of(params.fabric, servers, server.nics);
  Graph all;
  add_nodes_of_servers(islands, all);
  add_nodes_of_network(cluster, server, is_rails(params.fabric), all);
  for (const topology::Link& link : islands.links()) all.connect(link.a, link.b);
  const int first = cluster.first_network_node;
  for (const topology::Link& link : cluster.network.graph.links())
    all.connect({first + link.a.node, link.a.port}, {first + link.b.node, link.b.port});
  join_gpus(cluster, server, all);
  cluster.graph = std::move(all);
  return cluster;
}

}  // namespace tributary
