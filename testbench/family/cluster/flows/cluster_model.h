#pragma once
/// ClusterModel: rates, latencies and headers of a cluster; ClusterGroup: a group of GPUs of equal servers on it.

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/cluster/cluster_server.h"
#include "testbench/collective/fluid/ethernet_flows.h"
#include "testbench/collective/staged/staged_schedule.h"

namespace tributary {

/// Times in ps, rates in bytes per second.
struct ClusterModel {
  ClusterServer server;
  int servers = 1;
  // NVLinks
  double read = 0, poll = 0;  ///< longest read of a GPU's memory; read that sees a slot
  double link_latency = 0, switch_latency = 0;
  double waves = 0, wave_bytes = 0;  ///< requests of a GPU in flight
  double local_rate = 0;             ///< additions and stores of a GPU
  bool acks = true;                  ///< each write is acknowledged
  // NICs
  collective::FlowParams flow;  ///< parameters of one rail
  double pcie_rate = 0;         ///< for TLPs
  double pcie_payload = 256, pcie_overhead = 24;
  bool rails_apart = true;  ///< nothing joins the switches of the rails, or their spines are not used
  // stages
  unsigned inside_lanes = 2;
  unsigned between_window = 0;  ///< 0: automatic
  std::uint64_t chunk = 0;      ///< 0: automatic

  /// Returns the latency from a GPU to another through its switches, without reads: header first, tail last.
  double route(bool far) const;
  double packet() const;  ///< 128 B with its header on one NVLink
  /// Returns the time from a WRITE's last byte sent to its arrival at the GPU of another server. The NIC's latencies contain
  /// PCIe.
  double rail_latency() const;
};

/// GPUs of a group in each of its servers.
struct ClusterGroup {
  collective::GroupShape shape;
  int nics = 0;         ///< NICs of a server that they use
  int boards[2] = {0};  ///< GPUs on each board
  int crossings = 0;    ///< neighbours in the ring of a server, first after last, on unlike boards
  bool far() const { return boards[0] > 0 && boards[1] > 0; }
};
/// Throws std::invalid_argument (one line) if the GPUs share NICs unevenly.
ClusterGroup group_of(const ClusterModel& model, const collective::GroupShape& shape);

/// Servers that load their NICs alike in two trees. Edges lead from a class to the class of its parents.
struct TreeClasses {
  struct Edges {
    int tree = 0, depth = 0;    ///< place of the child
    int child = 0, parent = 0;  ///< classes
    int count = 0;
  };
  std::vector<int> servers;  ///< by class
  std::vector<Edges> edges;
  int depth = 0;  ///< depth of the deeper tree
};
TreeClasses tree_classes(int servers);

}  // namespace tributary
