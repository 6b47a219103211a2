#pragma once
/// RingJob: a collective of hosts on a ring of NetReduce: its packets, and its place in the memory of each host.

#include <cstdint>

#include "modules/netreduce/core/flow_control_core.h"
#include "platforms/netreduce/platform_params.h"
#include "testbench/family/netreduce/lowering.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Returns the pattern of the packets of a job's ring (docs/systems/netreduce.md#other-collectives).
RingPattern ring_pattern(const JobSpec& job, Bytes message, const NetReducePlatformParams& params);

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
  /// Bytes on the wire of the busiest port of a host, in one direction.
  std::uint64_t busiest_port() const;

 private:
  const NetReducePlatformParams& params_;
  Bytes message_;
  RingPattern pattern_;
  NetReduceLayout layout_;
  std::uint32_t messages_;
};

}  // namespace tributary
