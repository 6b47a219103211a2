#include "platforms/cluster/cluster_lanes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tributary {
namespace {

using topology::Graph;
using topology::LanePlan;
using topology::Node;

/// Returns the servers alone. `whole`: boards of a server stay together.
Graph servers_of(const ClusterGraph& cluster, bool whole) {
  Graph servers;
  for (const int n : cluster.server_nodes) {
    Node node = cluster.graph.node(n);
    if (whole) node.group = 0;
    servers.add_node(std::move(node));
  }
  for (const topology::Link& link : cluster.graph.links())
    if (std::max(link.a.node, link.b.node) < cluster.first_network_node) servers.connect(link.a, link.b);
  return servers;
}

/// Gives lanes to the nodes of the network.
class NetworkLanes {
 public:
  NetworkLanes(const ClusterGraph& cluster, LanePlan& plan) : cluster_(cluster), plan_(plan), weight_(plan.count) {
    for (std::size_t n = 0; n < plan.of_node.size(); ++n) weight_[plan.of_node[n]] += weight(static_cast<int>(n));
    plan.of_node.resize(cluster.graph.nodes().size());
    for (int host = 0; host < net().all_hosts(); ++host) set(host, lane_of_gpu(host));
    for (int leaf = 0; leaf < net().racks; ++leaf)
      add_switch(net().leaf(leaf), net().leaf_accelerator(leaf), has_racks() ? middle(leaf) : lightest());
    for (int spine = 0; spine < net().spines; ++spine)
      add_switch(net().spine(spine), net().spine_accelerator(spine), lightest());
  }

 private:
  const topology::Racks& net() const { return cluster_.network; }
  int node(int of_network) const { return cluster_.first_network_node + of_network; }
  int weight(int node) const { return 1 + cluster_.graph.node(node).ports; }
  unsigned lane(int of_network) const { return plan_.lane(node(of_network)); }
  void set(int of_network, unsigned lane) {
    plan_.of_node[static_cast<std::size_t>(node(of_network))] = lane;
    weight_[lane] += weight(node(of_network));
  }
  /// Port 0 of a NIC is its link to the network.
  unsigned lane_of_gpu(int host) const {
    const auto gpu = cluster_.graph.peer({node(host), 1});
    return gpu ? plan_.lane(gpu->node) : 0;
  }
  /// Returns true if the NICs of a server share one of several leaves.
  bool has_racks() const {
    const std::size_t nics = cluster_.hosts.size() / static_cast<std::size_t>(cluster_.graph.islands() - 1);
    return net().racks > 1 && net().rack_of(cluster_.hosts[0]) == net().rack_of(cluster_.hosts[nics - 1]);
  }
  unsigned middle(int rack) const { return lane(rack * net().hosts + net().hosts / 2); }
  unsigned lightest() const {
    return static_cast<unsigned>(std::min_element(weight_.begin(), weight_.end()) - weight_.begin());
  }
  void add_switch(int of_network, int accelerator, unsigned lane) {
    set(of_network, lane);
    if (net().accelerators() > 0) set(accelerator, lane);
  }

  const ClusterGraph& cluster_;
  LanePlan& plan_;
  std::vector<int> weight_;  ///< by lane
};

}  // namespace

LanePlan cluster_lanes(const ClusterGraph& cluster, unsigned lanes) {
  if (lanes <= 1) return {};
  if (!cluster.has_network()) return topology::partition(cluster.graph, lanes);
  const auto servers = static_cast<unsigned>(cluster.graph.islands() - 1);
  LanePlan plan = topology::partition(servers_of(cluster, lanes <= servers), lanes);
  NetworkLanes(cluster, plan);
  return plan;
}

}  // namespace tributary
