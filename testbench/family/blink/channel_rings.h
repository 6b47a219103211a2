#pragma once
/// NCCL's rings over the GPUs of a job; each ring becomes one or several channels (docs/blocks/nccl_channels.md#rings).

#include <cstdint>
#include <vector>

#include "platforms/topology/server.h"
#include "testbench/codegen/channel_ring.h"
#include "testbench/family/blink/codegen_params.h"

namespace tributary {

struct ChannelRings {
  std::vector<ChannelRing> rings;  ///< one for each channel, up to ChannelEngine::standard_channels
  /// Rate of a channel as a fraction of the rate of a link.
  std::uint32_t rate_of = 1, rate_over = 1;
};

/// Returns `copies` channels for each ring of NVLinks (collective::find_rings, or one for each link to NVSwitches). Without
/// such a ring, it returns one ring over PCIe in the order of the GPUs on the PCIe tree, so that neighbours are near each
/// other, or with `simple` in the order of ranks over NVLinks, PCIe inside a socket and host memory between sockets. One GPU
/// has no ring. GPU g of server s has the number s x (GPUs of a server) + g. Several servers have one ring for each of their
/// first `nics` NICs that is nearest to a GPU of the job. In each server a ring begins at the GPU nearest to its NIC, and
/// ends near a NIC, too. Between them it follows a path of NVLinks over all GPUs of the server, or PCIe if there is no such
/// path; rings have `copies` channels if they use no PCIe. Throws TopologyError.
ChannelRings channel_rings(const topology::Server& server, const std::vector<int>& gpus, std::uint32_t copies,
                           std::uint32_t nics = 1, RingFallback fallback = RingFallback::pcie);

}  // namespace tributary
