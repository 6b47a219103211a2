#include "testbench/family/blink/channel_rings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "modules/base/index.h"
#include "modules/streams/core/channel_engine.h"
#include "platforms/topology/nvlink_islands.h"
#include "testbench/collective/packing/ring_search.h"

namespace tributary {
namespace {

using Ranks = std::vector<int>;

/// Finds the lexicographically first path of NVLinks over all ranks; the path is empty if there is none.
class PathSearch {
 public:
  explicit PathSearch(const topology::Allocation& allocation) : allocation_(allocation), used_(allocation.gpus.size()) {
    for (int first = 0; first < allocation.ranks() && !complete(); ++first) go_on(first);
  }
  const Ranks& path() const { return path_; }

 private:
  bool complete() const { return path_.size() == used_.size(); }
  void go_on(int rank) {
    used_[static_cast<std::size_t>(rank)] = true;
    path_.push_back(rank);
    for (int next = 0; next < allocation_.ranks() && !complete(); ++next)
      if (!used_[static_cast<std::size_t>(next)] && allocation_.between(rank, next) > 0) go_on(next);
    if (complete()) return;
    used_[static_cast<std::size_t>(rank)] = false;
    path_.pop_back();
  }

  const topology::Allocation& allocation_;
  std::vector<bool> used_;
  Ranks path_;
};

/// Returns the least number of links of a GPU to an NVSwitch that joins them all; 0 if there is none.
int links_of_switch(const topology::Server& server, const std::vector<int>& gpus) {
  const std::vector<int> links = topology::links_to_switches(server), islands = topology::nvlink_islands(server);
  int least = links[at(gpus.front())];
  for (const int gpu : gpus) least = islands[at(gpu)] == islands[at(gpus.front())] ? std::min(least, links[at(gpu)]) : 0;
  return least;
}

/// Any order is a path through an NVSwitch. The path is empty if NVLinks do not join the GPUs.
Ranks nvlink_path(const topology::Server& server, const std::vector<int>& gpus) {
  if (links_of_switch(server, gpus) == 0) return PathSearch(topology::allocation(server, gpus)).path();
  Ranks order(gpus.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

ChannelRing through_servers(const topology::Server& server, const std::map<int, topology::ServerPart>& parts) {
  ChannelRing ring;
  for (const auto& [number, part] : parts) {
    Ranks order = nvlink_path(server, part.gpus);
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

/// Returns one ring for each link of the GPU with fewest, up to the most channels that NCCL has.
std::vector<ChannelRing> through_switch(const topology::Server& server, const std::vector<int>& gpus) {
  const auto rings = std::min<std::size_t>(at(links_of_switch(server, gpus)), ChannelEngine::max_channels);
  return std::vector<ChannelRing>(rings, on(CopyPath::nvlink, nvlink_path(server, gpus)));
}

}  // namespace

std::vector<ChannelRing> channel_rings(const topology::Server& server, const std::vector<int>& gpus) {
  if (gpus.size() < 2) return {};
  const std::map<int, topology::ServerPart> parts = topology::parts_of(gpus, server.gpus());
  if (parts.size() > 1) return {through_servers(server, parts)};
  const std::vector<int>& local = parts.begin()->second.gpus;
  if (links_of_switch(server, local) > 0) return through_switch(server, local);
  const collective::Rings found = collective::find_rings(topology::allocation(server, local));
  const bool both_directions = found.directed > static_cast<int>(found.cycles.size());
  std::vector<ChannelRing> rings;
  for (const Ranks& cycle : found.cycles) {
    if (rings.size() == ChannelEngine::max_channels) break;
    rings.push_back(on(CopyPath::nvlink, cycle));
    if (both_directions) rings.push_back(on(CopyPath::nvlink, {cycle.rbegin(), cycle.rend()}));
  }
  if (rings.empty()) rings.push_back(on(CopyPath::pcie, topology::pcie_order(server, local)));
  return rings;
}

}  // namespace tributary
