#pragma once
/// Sends and receives of NCCL 2.21 and later on GPUs around NVSwitches: send/receive and all-to-all
/// (docs/blocks/nccl_p2p.md).

#include <optional>

#include "platforms/nvswitch/platform_params.h"
#include "testbench/codegen/channel_lowering.h"
#include "testbench/codegen/p2p_rules.h"
#include "testbench/workload/job.h"

namespace tributary {

/// The execution of one message.
struct P2pUse {
  nccl::Protocol protocol = nccl::Protocol::simple;
  unsigned channels = 1;    ///< for the largest message of a pair
  std::uint64_t chunk = 0;  ///< bytes
};

/// Returns nothing unless NCCL carries out the job by sends and receives of several ranks. Throws ScheduleError with
/// NCCL 2.4, which has none, and if the protocol is forced to LL128.
std::optional<P2pUse> p2p_use(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params);
/// Returns the times of the steps of `use`. Groups of warps share the rate of their thread block.
ChannelTimes p2p_times(const P2pUse& use, const NvSwitchPlatformParams& params);
/// Returns the proved steps. Throws ScheduleError.
ChannelPlan p2p_channels(const JobSpec& job, Bytes message, const P2pUse& use, const NvSwitchPlatformParams& params);

/// Returns the channels of the program that a GPU needs for sends and receives of the job; 0 if it has none.
unsigned p2p_groups(const JobSpec& job, const NvSwitchPlatformParams& params);
/// Sets the rates of thread blocks, which follow the generation of the GPUs.
void resolve_p2p(NvSwitchPlatformParams& params);

}  // namespace tributary
