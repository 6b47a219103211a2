#pragma once
/// Collectives as steps of channels: the baseline, as NCCL 2.4 cuts messages (docs/blocks/nccl_channels.md#pieces).

#include <cstdint>
#include <vector>

#include "modules/streams/core/stream_program.h"
#include "modules/streams/nccl_params.h"
#include "testbench/codegen/channel_ring.h"
#include "testbench/workload/job.h"

namespace tributary {

struct ChannelPlan {
  std::vector<StreamProgram> programs;  ///< [rank]
  std::uint64_t memory_bytes = 0;       ///< that each rank's GPU needs: its buffers, then a buffer of slots for each channel
};

/// A channel for each ring; the message is divided among them in whole blocks. Peers are endpoints of the platform. Proved:
/// the schedules, their fused steps, then what the steps became, with their slots and credits. Throws ScheduleError.
ChannelPlan lower_channels(const JobSpec& job, Bytes message, const std::vector<ChannelRing>& rings,
                           const NcclParams& params);

}  // namespace tributary
