#pragma once
/// Parallel NetReduce: the work of the GPUs of hosts before and after their rings (Liu et al., 3.4).

#include <vector>

#include "testbench/family/netreduce/lowering.h"

namespace tributary {

/// The ranks of a job by host.
struct HostShape {
  std::vector<int> hosts;  ///< in the order of their first ranks
  int gpus = 0;            ///< ranks of each host
  bool even = false;       ///< ranks are ordered by host, with equal numbers
};
/// `gpus`: endpoints of a host.
HostShape host_shape(const JobSpec& job, int gpus);

/// GPU g of each host adds part g of the tensors of its host's GPUs, the ring of all GPUs g adds these parts, and every GPU
/// receives all parts. A part consists of whole blocks. Memory layout of a GPU: operand, mailboxes, result (or in place of
/// the operand), received messages, copies of sent messages.
class MachinePlan {
 public:
  /// `ends`: endpoints of the GPUs of one host. Throws ScheduleError.
  MachinePlan(const JobSpec& job, Bytes message, const std::vector<int>& ends, const NetReducePlatformParams& params);

  const NetReduceLayout& layout() const { return layout_; }
  const JobSpec& job() const { return job_; }  ///< the part of the job on this host
  const ChunkCommands& before() const { return before_; }
  const ChunkCommands& after() const { return after_; }
  collective::ChunkRange part(int gpu) const;
  /// The caller fills in the ring and the connections.
  RingPlan ring(int gpu) const;
  /// Returns the commands with addresses in the result.
  HostCommands moved(HostCommands after) const;

 private:
  JobSpec job_;
  Bytes message_;
  ChunkCommands before_, after_;
  NetReduceLayout layout_;
};

}  // namespace tributary
