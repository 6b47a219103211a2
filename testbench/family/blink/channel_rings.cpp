#include "testbench/family/blink/channel_rings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "modules/stream_gpu/core/channel_engine.h"
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

/// The first path of NVLinks over all ranks, by their numbers; empty: none.
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

/// GPUs of one server, and the ranks that they are.
struct Part {
  std::vector<int> gpus;
  Ranks ranks;
};

ChannelRing through_servers(const topology::Server& server, const std::map<int, Part>& parts) {
  ChannelRing ring;
  for (const auto& [number, part] : parts) {
    Ranks order = PathSearch(topology::allocation(server, part.gpus)).path();
    const CopyPath path = order.empty() ? CopyPath::pcie : CopyPath::nvlink;
    if (order.empty()) order = in_pcie_order(server, part.gpus);
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

}  // namespace

std::vector<ChannelRing> channel_rings(const topology::Server& server, const std::vector<int>& gpus) {
  if (gpus.size() < 2) return {};
  std::map<int, Part> parts;  // by server
  for (std::size_t r = 0; r < gpus.size(); ++r) {
    Part& part = parts[gpus[r] / server.gpus()];
    part.gpus.push_back(gpus[r] % server.gpus());
    part.ranks.push_back(static_cast<int>(r));
  }
  if (parts.size() > 1) return {through_servers(server, parts)};
  const std::vector<int>& local = parts.begin()->second.gpus;
  const collective::Rings found = collective::find_rings(topology::allocation(server, local));
  const bool both_ways = found.directed > static_cast<int>(found.cycles.size());
  std::vector<ChannelRing> rings;
  for (const Ranks& cycle : found.cycles) {
    if (rings.size() == ChannelEngine::max_channels) break;
    rings.push_back(on(CopyPath::nvlink, cycle));
    if (both_ways) rings.push_back(on(CopyPath::nvlink, {cycle.rbegin(), cycle.rend()}));
  }
  if (rings.empty()) rings.push_back(on(CopyPath::pcie, in_pcie_order(server, local)));
  return rings;
}

}  // namespace tributary
