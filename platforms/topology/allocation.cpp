#include "platforms/topology/allocation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "modules/base/index.h"
#include "platforms/topology/graph.h"

namespace tributary::topology {
namespace {

using Matrix = std::vector<std::vector<int>>;
/// Colours the ranks by iterated refinement: ranks of one colour have equal links to ranks of equal colours. A colour
/// does not depend on the numbering of the ranks.
std::vector<int> colours(const Matrix& links) {
  std::vector<int> colour(links.size(), 0);
  for (std::size_t round = 0; round < links.size(); ++round) {
    std::vector<std::vector<int>> seen(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
      std::vector<std::pair<int, int>> view;
      for (std::size_t j = 0; j < links.size(); ++j)
        if (j != i) view.push_back({links[i][j], colour[j]});
      std::sort(view.begin(), view.end());
      seen[i].push_back(colour[i]);
      for (const auto& [count, other] : view) seen[i].insert(seen[i].end(), {count, other});
    }
    std::vector<std::vector<int>> kinds = seen;
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    for (std::size_t i = 0; i < links.size(); ++i)
      colour[i] = static_cast<int>(std::lower_bound(kinds.begin(), kinds.end(), seen[i]) - kinds.begin());
  }
  return colour;
}

/// Tries all orders of the ranks that are sorted by colour, and keeps the lexicographically greatest list of links.
class Labelling {
 public:
  explicit Labelling(const Matrix& links) : links_(links), colour_(colours(links)), used_(links.size(), false) {
    sorted_ = colour_;
    std::sort(sorted_.begin(), sorted_.end());
    place();
  }
  std::vector<int> best() const { return best_; }
  const std::vector<int>& colours_in_order() const { return sorted_; }

 private:
  /// True if swapping the two ranks leaves every link unchanged, so that only one of them need be tried.
  bool twins(std::size_t a, std::size_t b) const {
    for (std::size_t x = 0; x < links_.size(); ++x)
      if (x != a && x != b && links_[a][x] != links_[b][x]) return false;
    return true;
  }

  void place() {
    if (order_.size() == links_.size()) {
      best_ = key_;
      return;
    }
    std::vector<std::size_t> tried;
    for (std::size_t v = 0; v < links_.size(); ++v) {
      if (used_[v] || colour_[v] != sorted_[order_.size()]) continue;
      if (std::any_of(tried.begin(), tried.end(), [&](std::size_t t) { return twins(t, v); })) continue;
      tried.push_back(v);
      const std::size_t length = key_.size();
      for (const std::size_t u : order_) key_.push_back(links_[v][u]);
      const auto end = best_.begin() + static_cast<std::ptrdiff_t>(std::min(best_.size(), key_.size()));
      if (!std::lexicographical_compare(key_.begin(), key_.end(), best_.begin(), end)) {
        used_[v] = true;
        order_.push_back(v);
        place();
        order_.pop_back();
        used_[v] = false;
      }
      key_.resize(length);
    }
  }

  const Matrix& links_;
  std::vector<int> colour_, sorted_, key_, best_;
  std::vector<std::size_t> order_;
  std::vector<bool> used_;
};

/// Returns the PCIe nodes above a GPU, from the socket down.
std::vector<int> place_in_tree(const Server& server, int gpu) {
  std::vector<int> nodes;
  for (int node = server.gpu_on.at(at(gpu)); node >= 0; node = server.pcie.at(at(node)).parent) nodes.push_back(node);
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

std::map<int, ServerPart> parts_of(const std::vector<int>& gpus, int gpus_of_server) {
  std::map<int, ServerPart> parts;
  for (std::size_t r = 0; r < gpus.size(); ++r) {
    ServerPart& part = parts[gpus[r] / gpus_of_server];
    part.gpus.push_back(gpus[r] % gpus_of_server);
    part.ranks.push_back(static_cast<int>(r));
  }
  return parts;
}

std::vector<int> pcie_order(const Server& server, const std::vector<int>& gpus) {
  std::vector<int> places(gpus.size());
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(), [&](int a, int b) {
    const int left = gpus[at(a)], right = gpus[at(b)];
    return std::pair(place_in_tree(server, left), left) < std::pair(place_in_tree(server, right), right);
  });
  return places;
}

Allocation allocation(const Server& server, const std::vector<int>& gpus) {
  Allocation a{gpus, Matrix(gpus.size(), std::vector<int>(gpus.size(), 0))};
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const std::string gpu = "server " + server.name + ": GPU " + std::to_string(gpus[i]);
    if (gpus[i] < 0 || gpus[i] >= server.gpus()) throw TopologyError(gpu + " does not exist");
    if (std::count(gpus.begin(), gpus.end(), gpus[i]) > 1) throw TopologyError(gpu + " is named twice");
    for (std::size_t j = 0; j < i; ++j) a.links[i][j] = a.links[j][i] = server.between(gpus[i], gpus[j]);
  }
  return a;
}

std::vector<int> joined(const Allocation& allocation) {
  std::vector<bool> seen(allocation.gpus.size(), false);
  if (seen.empty()) return {};
  std::vector<int> reached{0};
  seen[0] = true;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (int v = 0; v < allocation.ranks(); ++v)
      if (!seen[at(v)] && allocation.between(reached[i], v) > 0) seen[at(v)] = true, reached.push_back(v);
  return reached;
}

bool connected(const Allocation& allocation) {
  return !allocation.gpus.empty() && joined(allocation).size() == allocation.gpus.size();
}

std::vector<int> canonical_class(const Allocation& allocation) {
  const Labelling labelling(allocation.links);
  std::vector<int> key{allocation.ranks()};
  key.insert(key.end(), labelling.colours_in_order().begin(), labelling.colours_in_order().end());
  const std::vector<int> best = labelling.best();
  key.insert(key.end(), best.begin(), best.end());
  return key;
}

std::vector<AllocationClass> allocation_classes(const Server& server, int least, int most, bool unconnected) {
  if (server.gpus() > 16) throw TopologyError("server " + server.name + ": allocations can be classified for up to 16 GPUs");
  std::vector<AllocationClass> classes;
  std::map<std::vector<int>, std::size_t> known;
  for (int size = least; size <= std::min(most, server.gpus()); ++size) {
    std::vector<char> chosen(at(server.gpus()), 0);
    std::fill(chosen.begin(), chosen.begin() + size, char{1});
    do {
      std::vector<int> gpus;
      for (int g = 0; g < server.gpus(); ++g)
        if (chosen[at(g)] != 0) gpus.push_back(g);
      Allocation one = allocation(server, gpus);
      if (!unconnected && !connected(one)) continue;
      const auto [entry, fresh] = known.insert({canonical_class(one), classes.size()});
      if (fresh) classes.push_back({std::move(one), {}});
      classes[entry->second].gpus.push_back(std::move(gpus));
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }
  return classes;
}

}  // namespace tributary::topology
