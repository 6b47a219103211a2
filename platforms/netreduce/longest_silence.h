#pragma once
/// SilenceEstimate: the longest time in which hosts on Ethernet may make no progress (docs/architecture.md#a-run).

#include <cstdint>

#include "platforms/netreduce/platform_params.h"

namespace tributary {

/// The machine and its job, as far as they determine waits.
struct SilenceEstimate {
  unsigned endpoints = 0, gpus = 1;  ///< all GPUs, and those of a host
  unsigned switches = 1;
  unsigned faults = 0;         ///< scripted faults of frames
  unsigned largest_frame = 0;  ///< bytes on the wire
  bool tree = false;           ///< several racks
  bool background = false;     ///< datagrams share the links
  bool served = false;         ///< a parameter server adds

  /// Returns an upper bound for messages of `bytes`. A host waits at most for all frames of a job on the slowest link, each
  /// lost and sent again after as many timeouts as the NIC allows; for the additions of all operands at a server; and for
  /// transfers inside of another host.
  double picoseconds(const NetReducePlatformParams& params, std::uint64_t bytes) const;

 private:
  double most_timeouts(const NetReducePlatformParams& params) const;
  double queueing(const NetReducePlatformParams& params) const;
};

}  // namespace tributary
