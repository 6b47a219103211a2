#pragma once
/// lower_p2p: sends and receives of NCCL's thread blocks as steps of channels (docs/blocks/nccl_p2p.md).

#include <cstddef>
#include <cstdint>
#include <string>

#include "testbench/codegen/channel_lowering.h"
#include "testbench/codegen/p2p_rules.h"
#include "testbench/workload/job.h"

namespace tributary {

/// True if NCCL carries out the collective by sends and receives: `sendrecv` and `alltoall`.
bool by_p2p(const std::string& collective);

/// Returns the bytes of the largest message of a pair of ranks.
std::uint64_t largest_p2p(const JobSpec& job, Bytes message);
/// Returns the number of ranks to which a rank sends.
std::size_t p2p_peers(const JobSpec& job);

/// Each work of a thread block has a group of warps that sends and one that receives; each group is a channel of the
/// program, and the works of later batches follow in it. All messages use `protocol`. Peers are endpoints of the platform.
/// The steps are proved. Throws ScheduleError.
ChannelPlan lower_p2p(const JobSpec& job, Bytes message, const nccl::P2pRules& rules, nccl::Protocol protocol,
                      const ChannelTimes& times);

}  // namespace tributary
