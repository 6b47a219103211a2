#pragma once
/// Blink and NCCL on GPUs around NVSwitches: trees as streams of commands, rings and trees as channels
/// (docs/systems/blink.md#dgx-2).

#include <cstdint>
#include <vector>

#include "modules/streams/core/stream_program.h"
#include "platforms/nvswitch/platform_params.h"
#include "testbench/codegen/stream_lowering.h"
#include "testbench/collective/packing/packed_schedule.h"
#include "testbench/workload/job.h"

namespace tributary {

/// The proved programs of all ranks of a job.
struct GpuStreams {
  std::vector<StreamProgram> programs;  ///< [rank]; peers are GPUs
  std::vector<std::uint64_t> memory;    ///< [rank] bytes
};

/// Lowers trees through the switches (collective::switch_trees) to streams. `params`: without automatic values other than
/// the chunk size, which then is 1 MB. Throws ScheduleError, one line; so does nccl_channels().
GpuStreams tree_streams(const JobSpec& job, Bytes message, collective::TreeUse use, const NvSwitchPlatformParams& params);
/// Lowers channels, each of which is a ring of the ranks in their order. `trees_below`: messages below
/// `nccl.trees_below` use trees. From NCCL 2.21 on its tuner decides (nccl_plans.h).
GpuStreams nccl_channels(const JobSpec& job, Bytes message, bool trees_below, const NvSwitchPlatformParams& params);
/// Lowers send/receive and all-to-all as NCCL 2.21 and later do (p2p_plans.h). A rank alone has nothing to send.
GpuStreams nccl_sends(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params);

}  // namespace tributary
