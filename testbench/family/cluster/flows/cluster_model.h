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
  double multicast_waves = 0;        ///< those of multicasts between several servers; 0: unlimited
  double local_rate = 0;             ///< additions and stores of a GPU
  double crossbar_speedup = 2;       ///< rate of a port of a switch's crossbar over that of its link
  bool acks = true;                  ///< each write is acknowledged
  // NICs
  collective::FlowParams flow;  ///< parameters of one rail
  double slice = 131'072;       ///< largest slice that a chain or a tree of servers forwards at once
  double pcie_rate = 0;         ///< for TLPs
  double pcie_payload = 256, pcie_overhead = 24;
  // network
  bool rails_apart = true;    ///< flat rings do not cross from one rail to another
  bool joined = false;        ///< NICs of unlike rails reach each other
  bool leaf_is_rack = false;  ///< the NICs of the servers of a rack share a leaf; otherwise those of a rail do
  int racks = 1;              ///< racks of servers, if leaf_is_rack
  int spines = 0;             ///< 0: no leaf has an uplink
  bool pxn = true;            ///< data for another rail leave by the NIC of a GPU of that rail
  // stages
  unsigned inside_lanes = 2;
  unsigned between_window = 0;  ///< 0: automatic
  bool messages_cover = true;   ///< a window of NetReduce has all messages of the chunks between the servers
  std::uint64_t chunk = 0;      ///< 0: automatic
  double completion = 0;        ///< NIC: from the last bit of an ACK to the end of its WRITE at the GPU

  /// Returns the latency from a GPU to another through its switches, without reads: header first, tail last.
  double route(bool far) const;
  double packet() const;  ///< 128 B with its header on one NVLink
  /// Returns the time from a WRITE's last byte sent to its arrival at the GPU of another server. The NIC's latencies contain
  /// PCIe.
  double rail_latency() const;
  /// Returns the time by which PCIe delays a WRITE of `bytes` at one end, beyond one of 64 B, for which the NIC's latencies
  /// are calibrated. A NIC sends a frame when it has all of its payload, and writes a payload when it has the whole frame.
  double burst(double bytes) const;
  /// Returns the time from a WRITE's last byte sent to its end at the sender, which waits for its ACK.
  double acknowledged_latency() const;
  /// Returns the bytes of payload per second of the path from a GPU through its NIC: the lesser of PCIe and the link.
  double rail_rate() const;
  /// Returns the additional latency of a frame that crosses a spine.
  double spine_latency() const;
  int leaves() const { return leaf_is_rack ? racks : server.nics; }
  /// Returns the rack of a server.
  int rack_of(int number) const { return leaf_is_rack ? number * racks / servers : 0; }
};

/// Returns a refusal, one line, if the ranks of a server share its NICs unevenly; else "". All servers of a group have equal
/// ranks.
std::string uneven_nics(const ClusterServer& server, const collective::GroupShape& shape);

/// Places of a server whose GPUs send and receive by their NICs. all: those of all ranks.
struct RailPlaces {
  static constexpr int all = -1;
  int from = all, to = all;
};

/// Equal groups that run at once, each of the shape `shape`, which counts them.
struct ClusterGroup {
  collective::GroupShape shape;
  std::vector<collective::GroupShape> each;  ///< shapes of the groups
  RailPlaces places;
  double rails = 0;       ///< NICs of a server that a group uses
  int boards[2] = {0};    ///< GPUs of a group on each board of a server
  int crossings = 0;      ///< neighbours in the ring of a server, first after last, on unlike boards
  std::vector<int> rack;  ///< rack of each server of the first group
  bool far() const { return boards[0] > 0 && boards[1] > 0; }
  double groups() const { return shape.groups; }
};
/// `groups` load common links evenly (even_groups()). Throws std::invalid_argument (one line) if the GPUs of a group share
/// NICs unevenly, or the groups are unlike.
ClusterGroup group_of(const ClusterModel& model, const std::vector<collective::GroupShape>& groups, RailPlaces places = {});

/// Servers of a group that load their NICs alike in two trees. Edges lead from a class to the class of its parents.
struct TreeClasses {
  struct Edges {
    int tree = 0, depth = 0;            ///< place of the child
    std::size_t child = 0, parent = 0;  ///< classes
    int count = 0;
    int between_racks = 0;  ///< edges among `count` between servers of unlike racks
  };
  std::vector<std::size_t> class_of;  ///< by server
  std::vector<Edges> edges;
  int depth = 0;  ///< depth of the deeper tree
  /// Returns the number of classes, at least 1.
  std::size_t classes() const;
};
/// `rack`: that of each server.
TreeClasses tree_classes(const std::vector<int>& rack);

}  // namespace tributary
