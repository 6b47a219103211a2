#include "testbench/family/blink/channel_rings.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "modules/base/index.h"
#include "modules/streams/core/channel_engine.h"
#include "testbench/collective/packing/ring_search.h"
#include "testbench/family/blink/nic_paths.h"

namespace tributary {
namespace {

using Ranks = std::vector<int>;

using Parts = std::map<int, topology::ServerPart>;

/// Returns the ring that enters each server near NIC number `turn` of those nearest to its GPUs.
ChannelRing through_servers(const topology::Server& server, const Parts& parts, std::uint32_t nics, std::size_t turn) {
  ChannelRing ring;
  for (const auto& [number, part] : parts) {
    Ranks order = nic_path(server, part.gpus, nics, turn);
    const CopyPath path = order.empty() ? CopyPath::pcie : CopyPath::nvlink;
    if (order.empty()) order = topology::pcie_order(server, part.gpus);
    for (const int local : order) {
      ring.ranks.push_back(part.ranks[static_cast<std::size_t>(local)]);
      ring.hops.push_back(path);
    }
    ring.hops.back() = CopyPath::network;
  }
  return ring;
}

ChannelRing on(CopyPath path, Ranks ranks) {
  const std::size_t hops = ranks.size();
  return {std::move(ranks), std::vector<CopyPath>(hops, path)};
}

/// Returns `copies` channels for each ring, up to the most channels that NCCL has. All rings together have the rate of
/// rings.size() / on_link links, in equal parts.
ChannelRings channels_of(std::vector<ChannelRing> rings, std::size_t on_link, std::uint32_t copies) {
  ChannelRings made;
  const std::size_t distinct = std::min<std::size_t>(rings.size(), ChannelEngine::standard_channels);
  const std::size_t channels = std::min<std::size_t>(distinct * copies, ChannelEngine::standard_channels);
  for (std::size_t c = 0; c < channels; ++c) made.rings.push_back(rings[c % distinct]);
  made.rate_of = static_cast<std::uint32_t>(distinct), made.rate_over = static_cast<std::uint32_t>(on_link * channels);
  return made;
}

/// Returns a ring for each link of the GPU with fewest.
std::vector<ChannelRing> through_switches(int links, int gpus) {
  Ranks order(at(gpus));
  std::iota(order.begin(), order.end(), 0);
  return std::vector<ChannelRing>(at(links), on(CopyPath::nvlink, order));
}

/// Returns the ring in the order of ranks. Two GPUs without NVLinks reach each other over PCIe, if they have one socket, or
/// by slots in host memory.
ChannelRing by_rank(const topology::Server& server, const Ranks& gpus) {
  ChannelRing ring;
  const auto socket = [&](int gpu) { return server.socket_of(server.gpu_on[at(gpu)]); };
  for (std::size_t r = 0; r < gpus.size(); ++r) {
    const int gpu = gpus[r], next = gpus[(r + 1) % gpus.size()];
    const bool joined = server.between(gpu, next) > 0;
    ring.ranks.push_back(static_cast<int>(r));
    ring.hops.push_back(joined ? CopyPath::nvlink : CopyPath::pcie);
    ring.host.push_back(!joined && socket(gpu) != socket(next));
  }
  return ring;
}

bool uses_pcie(const ChannelRing& ring) {
  return std::find(ring.hops.begin(), ring.hops.end(), CopyPath::pcie) != ring.hops.end();
}

/// Returns a ring for each NIC. Rings that several NICs feed share all links of a GPU to its NVSwitches.
ChannelRings over_nics(const topology::Server& server, const Parts& parts, std::uint32_t copies, std::uint32_t nics) {
  std::size_t turns = nics;
  int links = std::numeric_limits<int>::max();
  for (const auto& [number, part] : parts) {
    turns = std::min(turns, nearest_nics(server, part.gpus, nics).size());
    links = std::min(links, part.gpus.size() > 1 ? links_of_switch(server, part.gpus) : links);
  }
  std::vector<ChannelRing> rings;
  for (std::size_t turn = 0; turn < turns; ++turn) rings.push_back(through_servers(server, parts, nics, turn));
  const bool pcie = std::any_of(rings.begin(), rings.end(), uses_pcie);
  const auto distinct = static_cast<std::uint32_t>(rings.size());
  ChannelRings made = channels_of(std::move(rings), 1, pcie ? 1 : copies);
  if (distinct > 1 && links != std::numeric_limits<int>::max())
    made.rate_of = std::max(made.rate_of, static_cast<std::uint32_t>(links));
  return made;
}

}  // namespace

ChannelRings channel_rings(const topology::Server& server, const std::vector<int>& gpus, std::uint32_t copies,
                           std::uint32_t nics, RingFallback fallback) {
  if (gpus.size() < 2) return {};
  const Parts parts = topology::parts_of(gpus, server.gpus());
  if (parts.size() > 1) return over_nics(server, parts, copies, nics);
  const std::vector<int>& local = parts.begin()->second.gpus;
  if (const int links = links_of_switch(server, local); links > 0)
    return channels_of(through_switches(links, static_cast<int>(local.size())), 1, copies);
  const collective::Rings found = collective::find_rings(topology::allocation(server, local));
  std::vector<ChannelRing> rings;
  for (const Ranks& ring : found.directed) rings.push_back(on(CopyPath::nvlink, ring));
  if (!rings.empty()) return channels_of(std::move(rings), at(found.on_link), copies);
  if (fallback == RingFallback::simple) return channels_of({by_rank(server, local)}, 1, 1);
  return channels_of({on(CopyPath::pcie, topology::pcie_order(server, local))}, 1, 1);
}

}  // namespace tributary
