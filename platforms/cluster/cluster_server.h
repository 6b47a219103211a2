#pragma once
/// ClusterServer: a server of GPUs around NVSwitches with the NIC of each GPU; the names of clusters.

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/cluster/cluster_params.h"
#include "platforms/topology/server.h"

namespace tributary {

/// Rates in bytes per second and direction.
struct ClusterServer {
  std::string name;
  int gpus = 0;
  int nvlinks = 0;         ///< NVLinks of a GPU
  double nvlink_rate = 0;  ///< rate of one link
  std::vector<int> board;  ///< board of each GPU: 0 or 1
  int trunks = 0;          ///< links from one board to the other; 0: one board
  bool adds = false;       ///< its NVSwitches add and multicast
  int nics = 0;
  double nic_rate = 0;             ///< line rate of a NIC
  double pcie_rate = 0;            ///< least rate between a GPU and its NIC
  std::vector<int> nic_of;         ///< NIC of each GPU
  std::vector<std::string> notes;  ///< assumptions, one line each
};

/// Returns the server of a cluster: `dgx2`, `a100`, `h100`, `h200`, `b200`, `nvl72` or `file:FILE`, with NICs as
/// choose_nics() assigns them. Throws std::invalid_argument (one line) for other names, servers without NVSwitches, and
/// servers without NICs unless `params` sets them.
ClusterServer cluster_server(const topology::PlatformDescription& server, const ClusterParams& params);
/// Returns the GPUs and NVSwitches of such a server. Its NICs are not read, so a server without NICs is legal.
ClusterServer cluster_gpus(const topology::PlatformDescription& server);
/// Returns true if the NVSwitches of the server add, as `cluster.adds` says.
bool switches_add(const ClusterServer& server, const ClusterParams& params);

/// A parsed platform name, `cluster:NxSERVER`. The server is `file:FILE` for each format of a file.
struct ClusterName {
  int servers = 0;
  std::string server;
};
inline constexpr int most_cluster_servers = 4096;
/// Throws std::invalid_argument (one line) with the legal forms.
ClusterName cluster_name(const std::string& platform);

}  // namespace tributary
