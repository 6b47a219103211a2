#include "testbench/collective/packing/three_phases.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "modules/base/index.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {
namespace {

std::size_t check(const std::vector<ServerTrees>& servers) {
  std::vector<int> ranks;
  for (const ServerTrees& s : servers) {
    if (s.trees.empty()) throw ScheduleError("servers: one has no trees");
    for (const WeightedTree& t : s.trees) {
      if (t.units < 1) throw ScheduleError("servers: a tree has no weight");
      if (t.tree.parent.size() != s.ranks.size())
        throw ScheduleError("servers: a tree over " + std::to_string(t.tree.parent.size()) + " of " +
                            std::to_string(s.ranks.size()) + " GPUs");
    }
    ranks.insert(ranks.end(), s.ranks.begin(), s.ranks.end());
  }
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (at(ranks[r]) != r) throw ScheduleError("servers: a rank is on no server or on two (legal: on one)");
  if (ranks.empty()) throw ScheduleError("servers: there are none");
  return ranks.size();
}

/// Returns the server whose trees define the partitions.
const ServerTrees& reference(const std::vector<ServerTrees>& servers) {
  return *std::max_element(servers.begin(), servers.end(), [](const ServerTrees& a, const ServerTrees& b) {
    return a.trees.size() != b.trees.size() ? a.trees.size() < b.trees.size() : a.rate > b.rate;
  });
}

/// Returns the tree of a server for each partition.
std::vector<const WeightedTree*> carriers(const ServerTrees& server, const std::vector<WeightedTree>& partitions) {
  std::vector<std::size_t> order(partitions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return partitions[a].units > partitions[b].units; });
  std::vector<std::int64_t> carried(server.trees.size(), 0);
  std::vector<const WeightedTree*> found(partitions.size());
  for (const std::size_t p : order) {
    const auto load = [&](std::size_t t) {
      return static_cast<double>(carried[t] + partitions[p].units) / static_cast<double>(server.trees[t].units);
    };
    std::size_t least = 0;
    for (std::size_t t = 1; t < server.trees.size(); ++t)
      if (load(t) < load(least)) least = t;
    carried[least] += partitions[p].units;
    found[p] = &server.trees[least];
  }
  return found;
}

/// Adds a server's tree to a tree over all ranks, and returns the rank of its root.
int place(Tree& whole, const ServerTrees& server, const Tree& tree) {
  for (std::size_t i = 0; i < tree.parent.size(); ++i) {
    const auto rank = at(server.ranks[i]);
    if (tree.parent[i] != no_rank) whole.parent[rank] = server.ranks[at(tree.parent[i])];
    for (const int child : tree.children[i]) whole.children[rank].push_back(server.ranks[at(child)]);
  }
  return server.ranks[at(tree.root())];
}

}  // namespace

std::vector<WeightedTree> three_phase_trees(const std::vector<ServerTrees>& servers, std::optional<int> root_server) {
  const std::size_t ranks = check(servers);
  const std::vector<WeightedTree>& partitions = reference(servers).trees;
  std::vector<std::vector<const WeightedTree*>> carrier;
  for (const ServerTrees& s : servers) carrier.push_back(carriers(s, partitions));

  std::vector<WeightedTree> trees;
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    Tree apart{std::vector<int>(ranks, no_rank), std::vector<std::vector<int>>(ranks)};
    std::vector<int> roots;
    for (std::size_t s = 0; s < servers.size(); ++s) roots.push_back(place(apart, servers[s], carrier[s][p]->tree));
    for (std::size_t j = 0; j < roots.size(); ++j) {
      if (root_server && at(*root_server) != j) continue;
      Tree joined = apart;
      for (const int other : roots)
        if (other != roots[j]) joined.parent[at(other)] = roots[j], joined.children[at(roots[j])].push_back(other);
      trees.push_back({std::move(joined), partitions[p].units, static_cast<int>(p)});
    }
  }
  return trees;
}

}  // namespace tributary::collective
