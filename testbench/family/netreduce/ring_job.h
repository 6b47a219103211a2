#pragma once
/// RingJob: a collective of hosts on a ring of NetReduce: its packets, and its place in the memory of each host.

#include <cstdint>
#include <vector>

#include "modules/netreduce/core/flow_control_core.h"
#include "platforms/netreduce/platform_params.h"
#include "testbench/family/netreduce/lowering.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Returns the pattern of the packets of a job's ring (docs/systems/netreduce.md#other-collectives).
RingPattern ring_pattern(const JobSpec& job, Bytes message, const NetReducePlatformParams& params);

/// Bytes on the wire of a ring, without answers, notifications and repeated packets.
class RingBytes {
 public:
  /// `messages`: of each host.
  RingBytes(const RingPattern& pattern, std::uint32_t messages);

  std::uint64_t sent(unsigned rank) const;
  std::uint64_t received(unsigned rank) const;
  /// Bytes from the leaf of these ranks to the spine, and back.
  std::uint64_t up(const std::vector<unsigned>& ranks) const;
  std::uint64_t down(const std::vector<unsigned>& ranks) const;

 private:
  /// Bytes of packets without data, bytes that data add to them, and the part of each owner.
  struct Sum {
    std::uint64_t empty = 0, data = 0;
    std::vector<std::uint64_t> of_owner;

    std::uint64_t all() const { return empty + data; }
    std::uint64_t owned(unsigned rank) const { return empty + of_owner.at(rank); }
  };
  RingPattern pattern_;
  Sum at_host_, at_spine_;
};

/// The ranks have one GPU on each host. An all-reduce, a reduce and a reduce-scatter have results next to the operands, or
/// in place of them; an all-gather and a broadcast are always in place, since no rank receives what it sends.
class RingJob {
 public:
  RingJob(const JobSpec& job, Bytes message, const NetReducePlatformParams& params);

  const NetReduceLayout& layout() const { return layout_; }
  /// Messages of each host.
  std::uint32_t messages() const { return messages_; }
  /// Returns the plan of a host. The caller fills in the ring and the connections.
  RingPlan ring_plan() const;
  RingBytes bytes() const { return RingBytes(pattern_, messages_); }

 private:
  const NetReducePlatformParams& params_;
  Bytes message_;
  RingPattern pattern_;
  NetReduceLayout layout_;
  std::uint32_t messages_;
};

}  // namespace tributary
