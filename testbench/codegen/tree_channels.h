#pragma once
/// All-reduces up and down two binary trees as steps of channels (docs/blocks/nccl_channels.md#trees).

#include "testbench/codegen/channel_lowering.h"

namespace tributary {

/// Channel c has tree c mod 2 of the double binary trees over the job's ranks, and its part of the message in whole blocks,
/// in pieces of at most a slot: all of them go up the tree, then all of the sum go down. Each edge of a tree has a buffer of
/// `slots` slots at its receiver. Only NVLinks. Proved as lower_channels() does. Throws ScheduleError.
ChannelPlan lower_tree_channels(const JobSpec& job, Bytes message, unsigned channels, const NcclParams& params);

}  // namespace tributary
