#include "testbench/collective/packing/ring_search.h"

#include <algorithm>

#include "modules/base/index.h"

namespace tributary::collective {
namespace {

/// Finds all Hamiltonian cycles, each in one direction, and then the largest set of them that share no link.
class RingSearch {
 public:
  explicit RingSearch(const topology::Allocation& a) : ranks_(a.ranks()), left_(a.links), on_path_(a.gpus.size(), false) {
    path_ = {0};
    on_path_[0] = true;
    extend();
    choose(0);
  }
  const std::vector<std::vector<int>>& best() const { return best_; }
  bool complete() const { return cycles_.size() < most_cycles && steps_ < most_steps; }

 private:
  static constexpr std::size_t most_cycles = 20000;
  static constexpr long most_steps = 2000000;

  void extend() {
    const int end = path_.back();
    if (path_.size() == on_path_.size()) {
      if (left_[at(end)][0] > 0 && path_[1] < end) cycles_.push_back(path_);
      return;
    }
    for (int v = 1; v < ranks_ && cycles_.size() < most_cycles; ++v) {
      if (on_path_[at(v)] || left_[at(end)][at(v)] == 0) continue;
      on_path_[at(v)] = true;
      path_.push_back(v);
      extend();
      path_.pop_back();
      on_path_[at(v)] = false;
    }
  }

  /// Returns an upper bound for the cycles over the remaining links: each cycle uses two links at every rank.
  std::size_t room() const {
    int least = -1;
    for (const std::vector<int>& row : left_) {
      int links = 0;
      for (const int count : row) links += count;
      if (least < 0 || links < least) least = links;
    }
    return static_cast<std::size_t>(least / 2);
  }

  bool free(const std::vector<int>& cycle) const {
    for (std::size_t i = 0; i < cycle.size(); ++i)
      if (left_[at(cycle[i])][at(cycle[(i + 1) % cycle.size()])] == 0) return false;
    return true;
  }

  void take(const std::vector<int>& cycle, int links) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const std::size_t a = at(cycle[i]), b = at(cycle[(i + 1) % cycle.size()]);
      left_[a][b] -= links, left_[b][a] -= links;
    }
  }

  /// Chooses cycles in ascending order. A cycle is chosen again if its links allow it.
  void choose(std::size_t first) {
    if (chosen_.size() > best_.size()) best_ = chosen_;
    const std::size_t most = chosen_.size() + room();
    for (std::size_t c = first; c < cycles_.size() && best_.size() < most && ++steps_ < most_steps; ++c) {
      if (!free(cycles_[c])) continue;
      take(cycles_[c], 1);
      chosen_.push_back(cycles_[c]);
      choose(c);
      chosen_.pop_back();
      take(cycles_[c], -1);
    }
  }

  int ranks_;
  std::vector<std::vector<int>> left_, cycles_, chosen_, best_;
  std::vector<int> path_;
  std::vector<bool> on_path_;
  long steps_ = 0;
};

}  // namespace

Rings find_rings(const topology::Allocation& allocation) {
  Rings rings;
  if (allocation.ranks() == 2) {
    rings.directed = allocation.between(0, 1);
    rings.cycles.assign(at(rings.directed), {0, 1});
    return rings;
  }
  const RingSearch search(allocation);
  rings.cycles = search.best();
  rings.directed = 2 * static_cast<int>(rings.cycles.size());
  rings.most = search.complete();
  return rings;
}

}  // namespace tributary::collective
