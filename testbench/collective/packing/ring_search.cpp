#include "testbench/collective/packing/ring_search.h"

#include <algorithm>
#include <numeric>
#include <utility>

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

/// Finds a given number of directed Hamiltonian cycles that share no link. Each leaves rank 0 by a link of its own.
class DirectedSearch {
 public:
  DirectedSearch(std::vector<std::vector<int>> links, int wanted)
      : ranks_(static_cast<int>(links.size())), wanted_(wanted), left_(std::move(links)), on_path_(at(ranks_), false) {
    for (const std::vector<int>& row : left_) out_.push_back(std::accumulate(row.begin(), row.end(), 0));
    in_ = out_;  // links have two directions
    found_ = next_ring();
  }
  bool found() const { return found_; }
  /// True if the search has ended by itself.
  bool complete() const { return found_ || steps_ < most_steps; }
  const std::vector<std::vector<int>>& rings() const { return rings_; }

 private:
  static constexpr long most_steps = 1000000;

  bool next_ring() {
    if (static_cast<int>(rings_.size()) == wanted_) return true;
    rings_.push_back({0});
    on_path_.assign(on_path_.size(), false);
    on_path_[0] = true;
    if (extend()) return true;
    rings_.pop_back();
    if (!rings_.empty())
      for (const int rank : rings_.back()) on_path_[at(rank)] = true;
    return false;
  }

  bool extend() {
    if (++steps_ >= most_steps) return false;
    const std::size_t number = rings_.size() - 1;
    const int end = rings_[number].back();
    if (static_cast<int>(rings_[number].size()) == ranks_) return close(end);
    const bool first = rings_[number].size() == 1 && number > 0;
    for (int v = first ? rings_[number - 1][1] : 1; v < ranks_; ++v) {  // rings in the order of their first links
      if (on_path_[at(v)] || left_[at(end)][at(v)] == 0) continue;
      use(end, v, 1);
      on_path_[at(v)] = true;
      rings_[number].push_back(v);
      if (extend()) return true;
      rings_[number].pop_back();
      on_path_[at(v)] = false;
      use(end, v, -1);
    }
    return false;
  }

  bool close(int end) {
    if (left_[at(end)][0] == 0) return false;
    use(end, 0, 1);
    const int needed = wanted_ - static_cast<int>(rings_.size());
    const auto enough = [needed](int links) { return links >= needed; };
    if (std::all_of(out_.begin(), out_.end(), enough) && std::all_of(in_.begin(), in_.end(), enough) && next_ring())
      return true;
    use(end, 0, -1);
    return false;
  }

  void use(int from, int to, int links) {
    left_[at(from)][at(to)] -= links;
    out_[at(from)] -= links, in_[at(to)] -= links;
  }

  int ranks_, wanted_;
  std::vector<std::vector<int>> left_;
  std::vector<int> out_ = {}, in_ = {};  // links left at each rank
  std::vector<bool> on_path_;
  std::vector<std::vector<int>> rings_ = {};
  long steps_ = 0;
  bool found_ = false;
};

int fewest_links(const std::vector<std::vector<int>>& links) {
  int least = -1;
  for (const std::vector<int>& row : links) {
    const int all = std::accumulate(row.begin(), row.end(), 0);
    if (least < 0 || all < least) least = all;
  }
  return least;
}

/// Looks for more rings than `more_than`, at most `most`. Returns no rings if there are none, and clears `complete` if the
/// search was cut off.
std::vector<std::vector<int>> search_more(const std::vector<std::vector<int>>& links, int more_than, int most,
                                          bool& complete) {
  for (int wanted = std::min(fewest_links(links), most); wanted > more_than; --wanted) {
    const DirectedSearch search(links, wanted);
    if (search.found()) return search.rings();
    complete = complete && search.complete();
  }
  return {};
}

std::vector<std::vector<int>> both_directions(const std::vector<std::vector<int>>& cycles) {
  std::vector<std::vector<int>> rings;
  for (const std::vector<int>& cycle : cycles) {
    rings.push_back(cycle);
    rings.emplace_back(cycle.rbegin(), cycle.rend());
    std::rotate(rings.back().begin(), rings.back().end() - 1, rings.back().end());  // from rank 0
  }
  return rings;
}

}  // namespace

Rings find_rings(const topology::Allocation& allocation) {
  constexpr int most_of_halves = 16, most_ranks_of_halves = 4;  // NCCL's MAXCHANNELS; its search of shared links
  Rings rings;
  if (allocation.ranks() == 2) {
    rings.directed.assign(at(allocation.between(0, 1)), {0, 1});
    return rings;
  }
  const RingSearch search(allocation);
  rings.directed = both_directions(search.best());
  rings.most = search.complete();
  const int known = static_cast<int>(rings.directed.size());
  if (auto more = search_more(allocation.links, known, fewest_links(allocation.links), rings.most); !more.empty())
    rings.directed = std::move(more);
  if (rings.directed.empty() || allocation.ranks() > most_ranks_of_halves) return rings;
  std::vector<std::vector<int>> halves = allocation.links;
  for (std::vector<int>& row : halves)
    for (int& links : row) links *= 2;
  const int twice = 2 * static_cast<int>(rings.directed.size());
  if (auto more = search_more(halves, twice, most_of_halves, rings.most); !more.empty())
    rings.directed = std::move(more), rings.on_link = 2;
  return rings;
}

}  // namespace tributary::collective
