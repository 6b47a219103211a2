#include "testbench/family/blink/channel_rings.h"

#include <algorithm>
#include <numeric>

#include "testbench/collective/packing/ring_search.h"

namespace tributary {
namespace {

using Ranks = std::vector<int>;

/// From the socket down: PCIe nodes above a GPU.
std::vector<int> place_in_tree(const topology::Server& server, int gpu) {
  std::vector<int> nodes;
  for (int node = server.gpu_on.at(static_cast<std::size_t>(gpu)); node >= 0;
       node = server.pcie.at(static_cast<std::size_t>(node)).parent)
    nodes.insert(nodes.begin(), node);
  return nodes;
}

/// GPUs of one switch stand side by side, then those of one socket: the ring crosses each link once in each direction.
Ranks in_pcie_order(const topology::Server& server, const std::vector<int>& gpus) {
  Ranks ranks(gpus.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    const int left = gpus[static_cast<std::size_t>(a)], right = gpus[static_cast<std::size_t>(b)];
    return std::pair(place_in_tree(server, left), left) < std::pair(place_in_tree(server, right), right);
  });
  return ranks;
}

}  // namespace

std::vector<ChannelRing> channel_rings(const topology::Server& server, const std::vector<int>& gpus) {
  if (gpus.size() < 2) return {};
  const collective::Rings found = collective::find_rings(topology::allocation(server, gpus));
  const bool both_ways = found.directed > static_cast<int>(found.cycles.size());
  std::vector<ChannelRing> rings;
  for (const Ranks& cycle : found.cycles) {
    rings.push_back({cycle, CopyPath::nvlink});
    if (both_ways) rings.push_back({{cycle.rbegin(), cycle.rend()}, CopyPath::nvlink});
  }
  if (rings.empty()) rings.push_back({in_pcie_order(server, gpus), CopyPath::pcie});
  return rings;
}

}  // namespace tributary
