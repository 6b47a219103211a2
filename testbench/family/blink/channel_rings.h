#pragma once
/// NCCL's rings over the GPUs of a job; each ring becomes a channel (docs/blocks/nccl_channels.md).

#include <vector>

#include "platforms/topology/server.h"
#include "testbench/codegen/channel_ring.h"

namespace tributary {

/// Returns two rings for each cycle of NVLinks, one in each direction, up to ChannelEngine::max_channels. Without such a
/// cycle, it returns one ring over PCIe in the order of the GPUs on the PCIe tree, so that neighbours are near each other.
/// One GPU has no ring. GPU g of server s has the number s x (GPUs of a server) + g. Several servers have one ring: inside
/// each server it follows a path of NVLinks over all GPUs, or PCIe if there is no such path. Throws TopologyError.
std::vector<ChannelRing> channel_rings(const topology::Server& server, const std::vector<int>& gpus);

}  // namespace tributary
