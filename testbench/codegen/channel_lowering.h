#pragma once
/// lower_channels: collectives as steps of channels, cut as in NCCL 2.4, the baseline (docs/blocks/nccl_channels.md#slices).

#include <cstdint>
#include <optional>
#include <vector>

#include "modules/streams/core/stream_program.h"
#include "modules/streams/nccl_params.h"
#include "testbench/codegen/channel_ring.h"
#include "testbench/workload/job.h"

namespace tributary {

struct ChannelPlan {
  std::vector<StreamProgram> programs;  ///< [rank]
  std::uint64_t memory_bytes = 0;       ///< memory of each rank's GPU: its buffers, then a buffer of slots for each channel
};

/// The division of a channel's range, and the times of its steps.
struct ChannelCut {
  std::uint64_t depth = 8;        ///< slices that the buffer of a channel holds
  std::uint64_t most_slices = 2;  ///< in a chunk
  std::uint64_t slice_bytes = 0;  ///< at most
  bool flags = false;             ///< data contain flags
  std::uint64_t call = 1;         ///< slices of a chunk that the block moves in one step of the protocol, without a pause
  std::optional<ChannelTimes> times = {};
  bool direct = true;  ///< plain data also reach the receiver's own buffer: the last step copies nothing
};

/// Makes one channel for each ring, and divides the message among the channels in whole blocks. Peers are endpoints of the
/// platform. The schedules, their fused steps, and the steps of channels with their slots and credits are proved. Throws
/// ScheduleError.
ChannelPlan lower_channels(const JobSpec& job, Bytes message, const std::vector<ChannelRing>& rings,
                           const NcclParams& params);
/// As lower_channels(), with a cut of its own.
ChannelPlan lower_rings(const JobSpec& job, Bytes message, const std::vector<ChannelRing>& rings, const ChannelCut& cut);

}  // namespace tributary
