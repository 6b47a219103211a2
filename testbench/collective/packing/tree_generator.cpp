#include "testbench/collective/packing/tree_generator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "testbench/collective/packing/candidate_trees.h"
#include "testbench/collective/packing/integral_packing.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {
namespace {

constexpr std::size_t most_candidates = 1000;

void check_joined(const topology::Allocation& allocation) {
  if (allocation.ranks() < 2) throw ScheduleError("trees need at least two GPUs");
  const std::vector<int> joined = topology::joined(allocation);
  for (int rank = 0; rank < allocation.ranks(); ++rank)
    if (std::find(joined.begin(), joined.end(), rank) == joined.end())
      throw ScheduleError("NVLinks do not join GPU " + std::to_string(allocation.gpus[static_cast<std::size_t>(rank)]) +
                          " to GPU " + std::to_string(allocation.gpus.front()) + ", and trees over PCIe are not built");
}

/// Weights that are tried in this order: one link, whole links, halves, quarters, eighths.
constexpr struct { std::int64_t denominator, most_of_a_tree; } steps[] = {{1, 1}, {1, 0}, {2, 0}, {4, 0}, {8, 0}};

/// Takes the first, of parts no finer than `finest`, that lacks no more than `threshold` of the bound; false: none does.
bool choose(GeneratedTrees& trees, const std::vector<Candidate>& candidates, double threshold, std::int64_t finest) {
  for (const auto& [denominator, most_of_a_tree] : steps) {
    if (denominator > finest) break;
    IlpRequest request{denominator, trees.bound.numerator * denominator / trees.bound.denominator, 0, most_of_a_tree};
    const double least = (1 - threshold) * trees.bound.value() * static_cast<double>(denominator);
    request.least = static_cast<std::int64_t>(std::ceil(least - 1e-9));
    if (request.bound < request.least) continue;  // no packing in these weights
    std::optional<IlpPacking> found = packed_by_ilp(trees.graph, candidates, request);
    if (!found) continue;
    trees.packing = std::move(found->packing), trees.step = denominator, trees.fewest = found->fewest;
    return true;
  }
  return false;
}

/// The candidates that a fractional packing gives, beside those known.
std::vector<Candidate> candidates_of(GeneratedTrees& trees, const TreeOptions& options, const TreeOracle& cheapest,
                                     std::vector<Candidate> known, const std::function<Candidate(EdgeSet)>& rooted) {
  CandidateTrees found = candidate_trees(trees.graph, options.epsilon, cheapest);
  trees.candidates = static_cast<int>(found.trees.size()), trees.fractional_rate = found.rate;
  std::set<EdgeSet> seen;
  for (const Candidate& candidate : known) seen.insert(candidate.edges);
  for (EdgeSet& edges : found.trees)
    if (known.size() < most_candidates && seen.insert(edges).second) known.push_back(rooted(std::move(edges)));
  return known;
}

}  // namespace

GeneratedTrees broadcast_trees(const topology::Allocation& allocation, int root, const TreeOptions& options) {
  check_joined(allocation);
  GeneratedTrees trees;
  trees.graph = directed_links(allocation);
  trees.cut = least_cut(trees.graph, root);
  trees.bound = trees.cut->capacity;
  const auto cheapest = [&](const std::vector<double>& costs) { return cheapest_arborescence(trees.graph, root, costs); };
  const auto rooted = [&](EdgeSet edges) {
    const int depth = rooted_tree(trees.graph, edges, root, true).height();
    return Candidate{std::move(edges), root, depth};
  };
  std::vector<Candidate> candidates = candidates_of(trees, options, cheapest, {}, rooted);
  if (!choose(trees, candidates, 0, 1)) {  // they lack a tree of a packing in whole links, which exists
    for (const PackedTree& tree : integral_packing(trees.graph, root).trees)
      candidates.push_back({tree.edges, tree.root, tree.depth});
    trees.completed = true;
    if (!choose(trees, candidates, 0, 1)) throw PackingError("whole trees of the rate of the least cut are not found");
  }
  verify(trees.graph, trees.packing, true);
  return trees;
}

GeneratedTrees allreduce_trees(const topology::Allocation& allocation, const TreeOptions& options) {
  check_joined(allocation);
  GeneratedTrees trees;
  trees.graph = undirected_links(allocation);
  UndirectedPacking best = undirected_packing(trees.graph);
  trees.partition = best.bound;
  trees.bound = best.bound.rate();
  const auto cheapest = [&](const std::vector<double>& costs) { return cheapest_spanning_tree(trees.graph, costs); };
  const auto rooted = [&](EdgeSet edges) { return at_centre(trees.graph, std::move(edges)); };
  if (!choose(trees, candidates_of(trees, options, cheapest, best.trees, rooted), options.threshold, 8))
    trees.packing = std::move(best.best), trees.step = 0;
  verify(trees.graph, trees.packing, false);
  return trees;
}

}  // namespace tributary::collective
