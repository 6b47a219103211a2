#pragma once
/// The rings of NCCL for the GPUs of a job: each a channel (docs/blocks/nccl_channels.md).

#include <vector>

#include "modules/stream_gpu/core/stream_program.h"
#include "platforms/topology/server.h"

namespace tributary {

/// Ranks in the order in which each sends to the next, and the last to the first.
struct ChannelRing {
  std::vector<int> ranks;
  CopyPath path = CopyPath::nvlink;
};

/// Two rings for each cycle of NVLinks, one in each direction; without any, one ring over PCIe in the order of the GPUs'
/// places there, for each pair of neighbours the nearest. Of one GPU: none. Throws TopologyError.
std::vector<ChannelRing> channel_rings(const topology::Server& server, const std::vector<int>& gpus);

}  // namespace tributary
