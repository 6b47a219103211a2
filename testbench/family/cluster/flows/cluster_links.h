#pragma once
/// ClusterLinks: classes of equal links of the servers of a group, and the bytes that transfers put on them.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/collective/fluid/activity_graph.h"
#include "testbench/family/cluster/flows/cluster_link.h"

namespace tributary {

/// Bytes of a GPU on NVLinks in a stage, headers and acks included; of a server between its boards.
struct InsideLoad {
  double out = 0, into = 0;
  double trunks[2] = {0, 0};  ///< from board 0 to board 1, and back
};

/// Bytes of a writing GPU and of its receivers together; `acks` return.
struct WriteLoad {
  double out = 0, into = 0, acks = 0;
  double trunk = 0;  ///< bytes between the boards, in each direction, on the average of all places of sender and receiver
};

/// Bytes of WRITEs of a GPU to other servers, at once: payload, on Ethernet, and on PCIe.
struct RailLoad {
  double payload = 0, wire = 0, pcie = 0;
};

/// Classes of the servers of a group that load their NICs alike, and of its GPUs that load their NVLinks alike; empty: one.
struct LinkClasses {
  std::vector<std::size_t> servers;  ///< by server of the group
  std::vector<std::size_t> gpus;     ///< by rank
};

/// Leaves whose links to and from the spines the transfers cross.
struct UsedLeaves {
  LinkPlaces up, down;
};

/// Part of the members of an activity in a class.
struct ClassShare {
  std::size_t of_class = 0;
  double share = 1;
};
using ClassShares = std::vector<ClassShare>;

class ClusterLinks {
 public:
  ClusterLinks(const ClusterModel& model, const ClusterGroup& group, const LinkClasses& classes, const UsedLeaves& leaves);

  const std::vector<ClusterLink>& links() const { return links_; }
  const ClusterGroup& group() const { return group_; }

  /// Every GPU loads its part of `part` bytes from all others; switches add.
  InsideLoad pull(double part) const;
  /// Every GPU multicasts its part to the others; each copy is acknowledged.
  InsideLoad multicast(double part) const;
  /// Every GPU writes `part` bytes to the next one in its server.
  InsideLoad ring_step(double part) const;
  /// Every GPU writes `part` bytes to each of the others in its server.
  InsideLoad exchange(double part) const;
  /// A GPU writes `part` bytes to each of `receivers` others of its server; `multicast`: its switches copy one write.
  WriteLoad write(double part, double receivers, bool multicast) const;

  /// Returns the uses of an activity of every GPU with `payload` bytes.
  std::vector<collective::FluidUse> inside(const InsideLoad& load, double payload) const;
  /// Returns the uses of writes from GPUs of some classes to GPUs of others.
  std::vector<collective::FluidUse> writes(const WriteLoad& load, double payload, const ClassShares& from,
                                           const ClassShares& to) const;
  /// Returns the bytes of `count` WRITEs of `bytes` each.
  RailLoad messages(double bytes, double count = 1) const;
  /// Returns the bytes of WRITEs of `slice` each; the last one may be shorter.
  RailLoad slices(double bytes, double slice) const;
  /// Returns the uses of WRITEs from servers of some classes to servers of others, by byte of `load.payload`. `spine`: share
  /// of the members whose frames cross a spine.
  std::vector<collective::FluidUse> rail(const ClassShares& from, const ClassShares& to, const RailLoad& load,
                                         double spine) const;
  bool has_uplinks() const { return uplink_ != none; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  double ranks() const { return group_.shape.ranks_each; }
  std::uint32_t first_of(std::size_t rail_class) const { return first_rail_ + 4 * static_cast<std::uint32_t>(rail_class); }
  void add(LinkKind kind, LinkPlaces places, std::size_t number = 0);
  void add_nvlinks(const LinkClasses& classes);
  void add_rails(const LinkClasses& classes);
  LinkPlaces nics(const LinkClasses& classes, std::size_t of_class, int place) const;

  ClusterModel model_;
  ClusterGroup group_;
  std::vector<double> gpu_share_;   ///< share of the GPUs, by class
  std::vector<ClusterLink> links_;  ///< NVLinks out and in of each class of GPUs, trunks, then NIC out, NIC in, PCIe out,
                                    ///< PCIe in of each class of servers, then up and down
  std::uint32_t first_trunk_ = none, first_rail_ = none, uplink_ = none;
};

}  // namespace tributary
