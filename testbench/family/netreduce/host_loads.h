#pragma once
/// HostLoads: bytes of a job on the links of hosts and between switches, and the busiest of them.

#include <cstdint>
#include <vector>

#include "platforms/topology/racks.h"
#include "testbench/family/netreduce/ring_job.h"

namespace tributary {

/// Each link carries bytes in two directions. Answers, notifications and repeated frames are left out, and frames of a rack
/// use all its links to spines evenly, except those of a ring, which has one spine: real links carry these bytes or more.
class HostLoads {
 public:
  explicit HostLoads(const topology::Racks& racks);

  /// Adds a transfer between hosts.
  void add(int from, int to, std::uint64_t bytes);
  /// Adds a ring over these hosts, also on the links between switches and accelerators.
  void add_ring(const RingBytes& bytes, const std::vector<int>& hosts);
  /// Returns the bytes of the busiest link in its busier direction.
  std::uint64_t busiest() const;

 private:
  struct Load {
    std::uint64_t up = 0, down = 0;  ///< up: towards spines or accelerators

    std::uint64_t most() const { return up > down ? up : down; }
  };
  std::size_t port(int host) const;

  const topology::Racks& racks_;
  std::vector<Load> hosts_;
  std::vector<Load> spread_;        // by rack: on all links to spines together
  std::vector<Load> spines_;        // by rack and spine: of rings
  std::vector<Load> accelerators_;  // by rack and port
  std::size_t rings_ = 0;
};

}  // namespace tributary
