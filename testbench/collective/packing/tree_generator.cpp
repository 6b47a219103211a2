#include "testbench/collective/packing/tree_generator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>

#include "modules/base/index.h"
#include "testbench/collective/packing/candidate_trees.h"
#include "testbench/collective/packing/forest_packing.h"
#include "testbench/collective/packing/integral_packing.h"
#include "testbench/collective/packing/less_deep.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {
namespace {

constexpr std::size_t most_candidates = 1000;

// Above this number of ranks, integer programs over all candidates may need many seconds. A packing is then found without
// them, and one program searches for fewer trees among its trees and 48 candidates.
constexpr int most_ranks_of_programs = 8;
constexpr std::size_t candidates_beside = 48;

void check_joined(const topology::Allocation& allocation) {
  if (allocation.ranks() < 2) throw ScheduleError("trees need at least two GPUs");
  const std::vector<int> joined = topology::joined(allocation);
  for (int rank = 0; rank < allocation.ranks(); ++rank)
    if (std::find(joined.begin(), joined.end(), rank) == joined.end())
      throw ScheduleError("NVLinks do not join GPU " + std::to_string(allocation.gpus[static_cast<std::size_t>(rank)]) +
                          " to GPU " + std::to_string(allocation.gpus.front()) +
                          ", and these trees have NVLinks alone; legal: GPUs that NVLinks join, or tributary run, whose "
                          "trees join islands over PCIe");
}

/// Weights in the order of trial: one link, whole links, halves, quarters, eighths.
constexpr struct { std::int64_t denominator, most_of_a_tree; } steps[] = {{1, 1}, {1, 0}, {2, 0}, {4, 0}, {8, 0}};

struct Parts {
  std::int64_t coarsest, finest;
};
/// Chooses the first packing with weights between `parts.coarsest` and `parts.finest` whose rate is within `threshold` of
/// the bound. Returns false if there is none. Directed trees then exchange edges. Trees of an all-reduce do not: they have
/// different centres, and exchanges would move edges of a pair, which share streams, to different depths.
bool choose(GeneratedTrees& trees, const std::vector<Candidate>& candidates, bool directed, double threshold, Parts parts) {
  for (const auto& [denominator, most_of_a_tree] : steps) {
    if (denominator < parts.coarsest) continue;
    if (denominator > parts.finest) break;
    IlpRequest request{denominator, trees.bound.numerator * denominator / trees.bound.denominator, 0, most_of_a_tree};
    const double least = (1 - threshold) * trees.bound.value() * static_cast<double>(denominator);
    request.least = static_cast<std::int64_t>(std::ceil(least - 1e-9));
    if (request.bound < request.least) continue;  // no packing has such weights
    std::optional<IlpPacking> found = packed_by_ilp(trees.graph, candidates, request);
    if (!found) continue;
    trees.packing = directed ? less_deep(trees.graph, std::move(found->packing), true) : std::move(found->packing);
    trees.step = denominator, trees.fewest = found->fewest;
    return true;
  }
  return false;
}

/// Returns all trees of depth 2 or less from each rank in which every neighbour of the root is its child.
std::vector<EdgeSet> flat_trees(const CapacityGraph& graph) {
  std::vector<EdgeSet> trees;
  for (int root = 0; root < graph.nodes; ++root) {
    std::vector<int> edge_to(at(graph.nodes), -1);  // edge from the root to each rank
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      if (graph.edges[e].from == root) edge_to[at(graph.edges[e].to)] = static_cast<int>(e);
      if (graph.edges[e].to == root) edge_to[at(graph.edges[e].from)] = static_cast<int>(e);
    }
    std::vector<EdgeSet> grown{{}};
    for (int rank = 0; rank < graph.nodes; ++rank) {
      if (rank == root) continue;
      std::vector<int> routes;
      if (edge_to[at(rank)] >= 0) routes.push_back(edge_to[at(rank)]);
      for (std::size_t e = 0; e < graph.edges.size() && edge_to[at(rank)] < 0; ++e) {
        const CapacityEdge& edge = graph.edges[e];
        if (edge.from != rank && edge.to != rank) continue;
        if (edge_to[at(edge.from == rank ? edge.to : edge.from)] >= 0) routes.push_back(static_cast<int>(e));
      }
      std::vector<EdgeSet> more;
      for (const EdgeSet& tree : grown)
        for (const int route : routes) more.push_back(tree), more.back().push_back(route);
      grown = std::move(more);
    }
    for (EdgeSet& tree : grown) std::sort(tree.begin(), tree.end()), trees.push_back(std::move(tree));
  }
  return trees;
}

/// Chooses as choose() does, with the least depth up to `deepest` that has a packing. Flat trees are added to the
/// candidates.
bool choose_shallow(GeneratedTrees& trees, std::vector<Candidate> candidates, double threshold, Parts parts, int deepest) {
  std::set<EdgeSet> seen;
  for (const Candidate& candidate : candidates) seen.insert(candidate.edges);
  for (EdgeSet& flat : flat_trees(trees.graph))
    if (candidates.size() < most_candidates && seen.insert(flat).second)
      candidates.push_back(at_centre(trees.graph, std::move(flat)));
  bool found = false;
  for (int depth = 1; depth <= deepest && !found; ++depth) {
    std::vector<Candidate> shallow;
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(shallow),
                 [depth](const Candidate& candidate) { return candidate.depth <= depth; });
    found = !shallow.empty() && choose(trees, shallow, false, threshold, parts);
  }
  return found;
}

/// Returns the units of the heaviest possible tree: the greatest capacity whose edges still connect all ranks.
std::int64_t heaviest(const CapacityGraph& graph, int root, bool directed, std::int64_t denominator) {
  std::set<int> capacities;
  for (const CapacityEdge& e : graph.edges) capacities.insert(e.capacity);
  for (auto least = capacities.rbegin(); least != capacities.rend(); ++least) {
    CapacityGraph wide{graph.nodes, {}};
    for (const CapacityEdge& e : graph.edges) {
      if (e.capacity < *least) continue;
      wide.edges.push_back(e);
      if (!directed) wide.edges.push_back({e.to, e.from, e.capacity});
    }
    if (reaches_all(wide, root)) return denominator * *least;
  }
  throw PackingError("a packing of a graph that is not connected");
}

/// Takes a packing that was found without the candidates. Its trees become less deep, and fewer if a short search finds
/// such.
void take(GeneratedTrees& trees, TreePacking found, const std::vector<Candidate>& candidates, int root, bool directed) {
  found = less_deep(trees.graph, std::move(found), directed);
  std::vector<Candidate> all;
  std::set<EdgeSet> seen;
  IlpRequest request;
  request.denominator = found.denominator;
  std::int64_t units = 0;
  for (const PackedTree& tree : found.trees) {
    all.push_back({tree.edges, tree.root, tree.depth}), seen.insert(tree.edges);
    request.known.push_back(tree.units), units += tree.units;
  }
  request.bound = request.least = units;
  for (std::size_t i = 0; i < candidates.size() && all.size() < found.trees.size() + candidates_beside; ++i)
    if (seen.insert(candidates[i].edges).second) all.push_back(candidates[i]), request.known.push_back(0);
  const std::optional<IlpPacking> other = packed_by_ilp(trees.graph, all, request);
  const auto burden = [](const TreePacking& packing) {
    int depths = 0;
    for (const PackedTree& tree : packing.trees) depths += tree.depth;
    return std::pair(packing.trees.size(), depths);
  };
  const bool better = other && burden(other->packing) < burden(found);
  trees.packing = better ? other->packing : std::move(found);
  trees.step = request.denominator, trees.completed = true;
  const std::int64_t most = heaviest(trees.graph, root, directed, request.denominator);
  trees.fewest = static_cast<std::int64_t>(trees.packing.trees.size()) == (units + most - 1) / most;
}

/// Returns a packing with the coarsest weights whose best packing is within the threshold of the bound; nothing if there are
/// no such weights.
std::optional<TreePacking> coarsest_forests(const GeneratedTrees& trees, double threshold, std::int64_t finest) {
  for (std::int64_t denominator = 1; denominator <= finest; denominator *= 2) {
    const std::int64_t whole = trees.bound.numerator * denominator / trees.bound.denominator;
    const double least = (1 - threshold) * trees.bound.value() * static_cast<double>(denominator);
    if (whole == 0 || static_cast<double>(whole) < least - 1e-9) continue;
    std::optional<TreePacking> found = forest_packing(trees.graph, denominator, whole);
    if (!found) throw PackingError("trees that a partition allows are not found");
    return found;
  }
  return std::nullopt;
}

/// Replaces the packing by one of matroid union, whose trees need not be candidates, if that has fewer trees and no less
/// rate.
void try_forests(GeneratedTrees& trees, const std::vector<Candidate>& candidates, double threshold) {
  std::optional<TreePacking> found = coarsest_forests(trees, threshold, trees.step);
  if (found && found->trees.size() < trees.packing.trees.size() && !(found->rate() < trees.packing.rate()))
    take(trees, std::move(*found), candidates, 0, false);
}

/// Chooses for up to 8 ranks. Shallow trees replace other trees if they have the same rate and are no more.
bool choose_for_allreduce(GeneratedTrees& trees, const std::vector<Candidate>& candidates, const TreeOptions& options) {
  if (options.least_depth && choose_shallow(trees, candidates, options.threshold, {1, options.finest}, trees.graph.nodes))
    return true;
  if (!choose(trees, candidates, false, options.threshold, {1, options.finest})) return false;
  try_forests(trees, candidates, options.threshold);
  constexpr int flat = 2;
  if (trees.packing.depth() <= flat) return true;
  GeneratedTrees shallow = trees;
  if (choose_shallow(shallow, candidates, options.threshold, {trees.step, trees.step}, flat) &&
      shallow.packing.rate() == trees.packing.rate() && shallow.packing.trees.size() <= trees.packing.trees.size())
    trees.packing = std::move(shallow.packing);
  return true;
}

/// Sets the root of all trees to the rank with the least greatest depth, then the least sum of depths, then the lowest
/// number.
void set_common_root(GeneratedTrees& trees) {
  const auto from = [&](int root) {
    std::vector<int> depths;
    for (const PackedTree& tree : trees.packing.trees)
      depths.push_back(rooted_tree(trees.graph, tree.edges, root, false).height());
    return depths;
  };
  const auto burden = [](const std::vector<int>& depths) {
    return std::pair(*std::max_element(depths.begin(), depths.end()), std::accumulate(depths.begin(), depths.end(), 0));
  };
  int best = 0;
  for (int root = 1; root < trees.graph.nodes; ++root)
    if (burden(from(root)) < burden(from(best))) best = root;
  const std::vector<int> depths = from(best);
  for (std::size_t t = 0; t < depths.size(); ++t)
    trees.packing.trees[t].root = best, trees.packing.trees[t].depth = depths[t];
}

/// Returns the known candidates and those of a fractional packing.
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
  if (allocation.ranks() > most_ranks_of_programs) {
    take(trees, integral_packing(trees.graph, root), candidates, root, true);
  } else if (!choose(trees, candidates, true, 0, {1, 1})) {  // an integral packing exists, but needs other trees
    for (const PackedTree& tree : integral_packing(trees.graph, root).trees)
      candidates.push_back({tree.edges, tree.root, tree.depth});
    trees.completed = true;
    if (!choose(trees, candidates, true, 0, {1, 1}))
      throw PackingError("whole trees of the rate of the least cut are not found");
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
  const std::vector<Candidate> candidates = candidates_of(trees, options, cheapest, best.trees, rooted);
  bool found = false;
  if (allocation.ranks() <= most_ranks_of_programs) {
    found = choose_for_allreduce(trees, candidates, options);
  } else if (std::optional<TreePacking> forests = coarsest_forests(trees, options.threshold, options.finest)) {
    take(trees, std::move(*forests), candidates, 0, false);
    found = true;
  }
  if (!found) trees.packing = std::move(best.best), trees.step = 0;
  if (options.common_root) set_common_root(trees);
  verify(trees.graph, trees.packing, false);
  return trees;
}

}  // namespace tributary::collective
