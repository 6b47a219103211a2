#include "testbench/collective/packing/candidate_trees.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tributary::collective {
namespace {

/// Rounds costs down to a sixteenth of a power of two. Nearly equal costs become equal, so that the oracle's rule for ties
/// decides. The scale of costs does not matter.
std::vector<double> rounded(std::vector<double> costs) {
  for (double& cost : costs) {
    int exponent = 0;
    const double mantissa = std::frexp(cost, &exponent);
    cost = std::ldexp(std::floor(mantissa * 32), exponent);
  }
  return costs;
}

}  // namespace

CandidateTrees candidate_trees(const CapacityGraph& graph, double epsilon, const TreeOracle& cheapest) {
  const auto edge = [&](int e) -> const CapacityEdge& { return graph.edges[static_cast<std::size_t>(e)]; };
  std::vector<double> cost, load(graph.edges.size(), 0);
  for (const CapacityEdge& e : graph.edges) cost.push_back(1.0 / e.capacity);
  const double m = static_cast<double>(graph.edges.size());
  const double end = std::pow((1 + epsilon) * m, 1 / epsilon) / (1 + epsilon);

  CandidateTrees found;
  std::map<EdgeSet, double> weights;
  for (;;) {
    const EdgeSet tree = cheapest(rounded(cost));
    double price = 0;
    int narrowest = edge(tree.front()).capacity;
    for (const int e : tree) price += cost[static_cast<std::size_t>(e)], narrowest = std::min(narrowest, edge(e).capacity);
    if (price >= end) break;
    weights[tree] += narrowest;
    for (const int e : tree) {
      cost[static_cast<std::size_t>(e)] *= 1 + epsilon * narrowest / edge(e).capacity;
      load[static_cast<std::size_t>(e)] += narrowest;
    }
    ++found.iterations;
  }
  double most = 0;
  for (std::size_t e = 0; e < load.size(); ++e) most = std::max(most, load[e] / graph.edges[e].capacity);
  std::vector<std::pair<double, EdgeSet>> sorted;
  for (const auto& [tree, weight] : weights) sorted.push_back({weight / most, tree});
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [weight, tree] : sorted) {
    found.trees.push_back(std::move(tree));
    found.weights.push_back(weight);
    found.rate += weight;
  }
  return found;
}

}  // namespace tributary::collective
