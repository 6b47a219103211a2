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

/// What all ranks of a job are told; proved.
struct GpuStreams {
  std::vector<StreamProgram> programs;  ///< [rank]; peers are GPUs
  std::vector<std::uint64_t> memory;    ///< [rank] bytes
};

/// Trees through the switches (collective::switch_trees) as streams. `params` without automatic values but the size of
/// chunks, which then is 1 MB. Throws ScheduleError, one line, as the next does.
GpuStreams tree_streams(const JobSpec& job, Bytes message, collective::TreeUse use, const NvSwitchPlatformParams& params);
/// All channels go round the ranks in their order. `trees_below`: messages below `nccl.low_latency.below` take trees.
GpuStreams nccl_channels(const JobSpec& job, Bytes message, bool trees_below, const NvSwitchPlatformParams& params);

}  // namespace tributary
