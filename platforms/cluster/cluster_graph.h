#pragma once
/// ClusterGraph: the devices and links of a cluster.

#include <vector>

#include "platforms/cluster/cluster_server.h"
#include "platforms/topology/graph.h"
#include "platforms/topology/racks.h"

namespace tributary {

/// GPUs and NVSwitches, server by server, then the NICs and switches of the network. Each server is an island, and the
/// network is the last one. A cluster of one server has no NICs.
struct ClusterGraph {
  topology::Graph graph;
  std::vector<int> server_nodes;  ///< GPUs and NVSwitches
  int first_network_node = 0;     ///< the nodes of `network` follow in its order
  topology::Racks network;        ///< its hosts are NICs
  std::vector<int> hosts;         ///< by server and NIC: host of `network`

  bool has_network() const { return network.hosts > 0; }
};

/// Devices and links beside those of the servers.
struct ClusterNetwork {
  bool nics = true;           ///< several servers have NICs and a network
  bool accelerators = false;  ///< each leaf and spine of the network has one
};

inline constexpr int most_packet_servers = 32;  ///< servers of a cluster by packets

inline constexpr int most_switch_ports = 64;  ///< ports of a switch of the network by packets
/// Returns the ports of the largest switch of the network, without accelerators; 0: one server has no network.
int most_ports(const ClusterParams& params, int servers, int nics);

/// Returns `servers` servers with the graph `machine` and the NICs of `server`, joined as `params` say. Port numbers: a GPU
/// has the PCIe link after its NVLinks; a NIC has one for each of its GPUs, in their order, after its port to the network.
/// Throws std::invalid_argument (one line) if a switch of the network has too many ports, or racks do not divide the
/// servers.
ClusterGraph cluster_graph(const topology::Graph& machine, const ClusterServer& server, int servers,
                           const ClusterParams& params, const ClusterNetwork& network);

/// Returns the racks of `servers`: those that are set, or the fewest that leave at most 32 NICs at a leaf. Throws
/// std::invalid_argument (one line) if they do not divide the servers.
int cluster_racks(const ClusterParams& params, int servers, int nics);

}  // namespace tributary
