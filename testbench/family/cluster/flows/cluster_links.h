#pragma once
/// ClusterLinks: classes of equal links of the servers of a group, and the bytes that transfers put on them.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/collective/fluid/activity_graph.h"
#include "testbench/family/cluster/flows/cluster_model.h"

namespace tributary {

/// A class of links of equal load.
struct ClusterLink {
  std::string name;
  double rate = 0;   ///< rate of a link, bytes per second
  double count = 0;  ///< links of the class
};

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

/// Classes of the servers of a group that load their NICs alike, and of its GPUs that load their NVLinks alike.
struct LinkClasses {
  std::vector<double> servers;  ///< number by class
  std::vector<double> gpus;     ///< number by class; all GPUs of the group together
};

/// Part of the members of an activity in a class.
struct ClassShare {
  std::size_t of_class = 0;
  double share = 1;
};
using ClassShares = std::vector<ClassShare>;

class ClusterLinks {
 public:
  /// `uplinks`: leaves have links to spines that the transfers may cross.
  ClusterLinks(const ClusterModel& model, const ClusterGroup& group, const LinkClasses& classes, bool uplinks);

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
  /// Returns the uses of a WRITE of `payload` bytes from servers of some classes to servers of others; `wire`: its bytes on
  /// Ethernet. `spine`: share of the members whose frames cross a spine.
  std::vector<collective::FluidUse> rail(const ClassShares& from, const ClassShares& to, double payload, double wire,
                                         double spine) const;
  bool has_uplinks() const { return uplink_ != none; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  double ranks() const { return group_.shape.ranks_each; }
  std::uint32_t first_of(std::size_t rail_class) const { return first_rail_ + 4 * static_cast<std::uint32_t>(rail_class); }
  void add_nvlinks();
  void add_rails();

  ClusterModel model_;
  ClusterGroup group_;
  LinkClasses classes_;
  std::vector<ClusterLink> links_;  ///< NVLinks out and in of each class of GPUs, trunks, then NIC out, NIC in, PCIe out,
                                    ///< PCIe in of each class of servers, then up and down
  std::uint32_t first_trunk_ = none, first_rail_ = none, uplink_ = none;
};

}  // namespace tributary
