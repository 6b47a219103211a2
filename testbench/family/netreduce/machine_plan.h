#pragma once
/// Parallel NetReduce: what the GPUs of hosts do before their rings and after them (Liu et al., 4.4).

#include <vector>

#include "testbench/family/netreduce/lowering.h"

namespace tributary {

/// The ranks of a job by host.
struct HostShape {
  std::vector<int> hosts;  ///< in the order in which ranks come on them
  int gpus = 0;            ///< ranks of each
  bool even = false;       ///< ranks come host by host, as many of each
};
/// `gpus`: endpoints of a host.
HostShape host_shape(const JobSpec& job, int gpus);

/// GPU g of each host adds up part g of what the GPUs of its host have, the ring of all GPUs g adds these parts up, and
/// every GPU gets all parts. A part is whole blocks. Where data lie in the memory of a GPU: operand, mailboxes, result (or
/// over the operand), messages that come in, copies of messages that are sent.
class MachinePlan {
 public:
  /// `ends`: endpoints of the GPUs of one host. Throws ScheduleError.
  MachinePlan(const JobSpec& job, Bytes message, const std::vector<int>& ends, const NetReducePlatformParams& params);

  const NetReduceLayout& layout() const { return layout_; }
  const JobSpec& job() const { return job_; }  ///< of that host
  const ChunkCommands& before() const { return before_; }
  const ChunkCommands& after() const { return after_; }
  collective::ChunkRange part(int gpu) const;
  /// Ring and connections are still to be filled in.
  RingPlan ring(int gpu) const;
  /// On the result.
  HostCommands moved(HostCommands after) const;

 private:
  JobSpec job_;
  Bytes message_;
  ChunkCommands before_, after_;
  NetReduceLayout layout_;
};

}  // namespace tributary
