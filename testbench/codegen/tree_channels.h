#pragma once
/// lower_tree_channels: all-reduces over two binary trees as steps of channels (docs/blocks/nccl_channels.md#trees).

#include "testbench/codegen/channel_lowering.h"

namespace tributary {

/// Channel c uses tree c mod 2 of the double binary trees over the job's ranks. It carries a range of the message in whole
/// blocks, cut into slices of at most a slot. All slices are reduced up the tree, and then all sums are broadcast down. Each
/// edge of a tree has a buffer of `slots` slots at its receiver. All hops are NVLinks. The result is proved as in
/// lower_channels(). Throws ScheduleError.
ChannelPlan lower_tree_channels(const JobSpec& job, Bytes message, unsigned channels, const NcclParams& params);

}  // namespace tributary
