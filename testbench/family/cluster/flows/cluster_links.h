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

class ClusterLinks {
 public:
  /// `rail_classes`: number of servers by class; servers of a class load their NICs alike.
  ClusterLinks(const ClusterModel& model, const ClusterGroup& group, const std::vector<int>& rail_classes);

  const std::vector<ClusterLink>& links() const { return links_; }
  const ClusterGroup& group() const { return group_; }

  /// Every GPU loads its part of `part` bytes from all others; switches add.
  InsideLoad pull(double part) const;
  /// Every GPU multicasts its part to the others; each copy is acknowledged.
  InsideLoad multicast(double part) const;
  /// Every GPU writes `part` bytes to the next one in its server.
  InsideLoad ring_step(double part) const;

  /// Returns the uses of an activity of every GPU with `payload` bytes.
  std::vector<collective::FluidUse> inside(const InsideLoad& load, double payload) const;
  /// Returns the uses of a WRITE of `payload` bytes from a server of one class to one of another; `wire`: its bytes on
  /// Ethernet.
  std::vector<collective::FluidUse> rail(int from, int to, double payload, double wire) const;

 private:
  double ranks() const { return group_.shape.ranks_each; }
  std::uint32_t first_of(int rail_class) const { return first_rail_ + 4 * static_cast<std::uint32_t>(rail_class); }

  ClusterModel model_;
  ClusterGroup group_;
  std::vector<ClusterLink> links_;  ///< NVLinks out and in, trunks, then NIC out, NIC in, PCIe out, PCIe in of each class
  std::uint32_t first_rail_ = 0;
};

}  // namespace tributary
