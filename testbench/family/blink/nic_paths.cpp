#include "testbench/family/blink/nic_paths.h"

#include <algorithm>
#include <set>

#include "modules/base/index.h"
#include "platforms/topology/nvlink_islands.h"

namespace tributary {
namespace {

/// Finds the lexicographically first path of NVLinks over all ranks between two of them; it is empty if there is none.
class PathSearch {
 public:
  PathSearch(const topology::Allocation& allocation, int first, int last)
      : allocation_(allocation), last_(last), used_(allocation.gpus.size()) {
    go_on(first);
  }
  const std::vector<int>& path() const { return path_; }

 private:
  bool complete() const { return path_.size() == used_.size() && path_.back() == last_; }
  void go_on(int rank) {
    used_[at(rank)] = true;
    path_.push_back(rank);
    for (int next = 0; next < allocation_.ranks() && rank != last_ && !complete(); ++next)
      if (!used_[at(next)] && allocation_.between(rank, next) > 0) go_on(next);
    if (complete()) return;
    used_[at(rank)] = false;
    path_.pop_back();
  }

  const topology::Allocation& allocation_;
  int last_;
  std::vector<bool> used_;
  std::vector<int> path_;
};

std::vector<int> above(const topology::Server& server, int node) {
  std::vector<int> nodes;
  for (; node >= 0; node = server.pcie[at(node)].parent) nodes.push_back(node);
  return nodes;
}

std::vector<int> in_order(int count, int first, int last) {
  std::vector<int> order{first};
  for (int i = 0; i < count; ++i)
    if (i != first && i != last) order.push_back(i);
  if (last != first) order.push_back(last);
  return order;
}

/// Returns the NIC of a GPU, as nearest_nics() does.
std::size_t nearest_nic(const topology::Server& server, int gpu, std::uint32_t nics) {
  const std::size_t present = std::min<std::size_t>(nics, server.nic_on.size());
  std::vector<std::size_t> nearest;
  for (std::size_t nic = 0; nic < present; ++nic) {
    const int best = nearest.empty() ? 0 : nearness(server, gpu, nearest.front()), now = nearness(server, gpu, nic);
    if (now > best) nearest.clear();
    if (now >= best) nearest.push_back(nic);
  }
  if (nearest.empty()) return 0;
  const std::vector<int>& on = server.gpu_on;
  const int place = server.nic_on[nearest.front()];
  if (place != on[at(gpu)]) return nearest.front();
  return nearest[static_cast<std::size_t>(std::count(on.begin(), on.begin() + gpu, place)) % nearest.size()];
}

}  // namespace

int links_of_switch(const topology::Server& server, const std::vector<int>& gpus) {
  const std::vector<int> links = topology::links_to_switches(server), islands = topology::nvlink_islands(server);
  int least = links[at(gpus.front())];
  for (const int gpu : gpus) least = islands[at(gpu)] == islands[at(gpus.front())] ? std::min(least, links[at(gpu)]) : 0;
  return least;
}

int nearness(const topology::Server& server, int gpu, std::size_t nic) {
  constexpr int one_switch = 4, switches = 3, processor = 2, processors = 1;
  if (server.nic_on.empty()) return processors;
  const int mine = server.gpu_on.at(at(gpu)), of_nic = server.nic_on.at(nic);
  const std::vector<int> a = above(server, mine), b = above(server, of_nic);
  if (a.back() != b.back()) return processors;
  const auto common = std::find_first_of(a.begin(), a.end(), b.begin(), b.end());
  if (*common == a.back()) return processor;
  return mine == of_nic ? one_switch : switches;
}

std::vector<std::size_t> nearest_nics(const topology::Server& server, const std::vector<int>& gpus, std::uint32_t nics) {
  std::set<std::size_t> all;
  for (const int gpu : gpus) all.insert(nearest_nic(server, gpu, nics));
  return {all.begin(), all.end()};
}

std::vector<int> nic_path(const topology::Server& server, const std::vector<int>& gpus, std::uint32_t nics,
                          std::size_t turn) {
  const topology::Allocation allocation = topology::allocation(server, gpus);
  const std::vector<std::size_t> used = nearest_nics(server, gpus, nics);
  const std::size_t nic = used.at(turn);
  if (used.size() > 1 && links_of_switch(server, gpus) > 0) {
    int first = 0;
    while (nearest_nic(server, gpus[at(first)], nics) != nic) ++first;
    std::vector<int> order(gpus.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = (first + static_cast<int>(i)) % allocation.ranks();
    return order;
  }
  std::vector<int> near;
  for (const int gpu : gpus) near.push_back(nearness(server, gpu, nic));
  const auto first = static_cast<int>(std::max_element(near.begin(), near.end()) - near.begin());
  for (int limit = near[at(first)]; limit > 0; --limit) {
    int last = static_cast<int>(gpus.size()) - 1;
    while (last >= 0 && gpus.size() > 1 && (last == first || near[at(last)] < limit)) --last;
    if (last < 0) continue;
    std::vector<int> path = links_of_switch(server, gpus) > 0 ? in_order(allocation.ranks(), first, last)
                                                              : PathSearch(allocation, first, last).path();
    if (!path.empty()) return path;
  }
  return {};
}

}  // namespace tributary
