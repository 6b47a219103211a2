#pragma once
/// Trees of NCCL 2.21 and later on GPUs around NVSwitches (docs/blocks/nccl_protocols.md#trees).

#include "testbench/family/nvswitch/nccl_plans.h"

namespace tributary {

/// Returns the proved thread blocks of a tree: a chain of the ranks in their order. Throws ScheduleError.
ChannelPlan nccl_trees(const JobSpec& job, Bytes message, const NcclUse& use, const NvSwitchPlatformParams& params);

/// Returns the channels of a GPU that the job's trees need, two for each thread block; 0 without a tree. `params`: resolved.
unsigned tree_groups(const JobSpec& job, const NvSwitchPlatformParams& params);

}  // namespace tributary
