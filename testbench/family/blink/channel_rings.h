#pragma once
/// The rings of NCCL for the GPUs of a job: each a channel (docs/blocks/nccl_channels.md).

#include <vector>

#include "platforms/topology/server.h"
#include "testbench/codegen/channel_ring.h"

namespace tributary {

/// Two rings for each cycle of NVLinks, one in each direction, up to ChannelEngine::max_channels; without any, one ring over
/// PCIe in the order of the GPUs' places there, the nearest side by side. Of one GPU: none.
/// GPU g of server s has number s x GPUs of a server + g. Through several servers leads one ring: in each along a path of
/// NVLinks over all its GPUs, or over PCIe where there is none. Throws TopologyError.
std::vector<ChannelRing> channel_rings(const topology::Server& server, const std::vector<int>& gpus);

}  // namespace tributary
