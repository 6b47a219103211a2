#include "testbench/collective/packing/undirected_packing.h"

#include <coin/ClpSimplex.hpp>

#include <algorithm>
#include <cmath>

namespace tributary::collective {
namespace {

constexpr double slack = 1e-7;

void add_column(ClpSimplex& lp, const EdgeSet& edges) {
  const std::vector<double> ones(edges.size(), 1.0);
  lp.addColumn(static_cast<int>(edges.size()), edges.data(), ones.data(), 0, COIN_DBL_MAX, -1);
}

PartitionBound partition(const CapacityGraph& graph, const std::vector<double>& duals) {
  PartitionBound bound;
  bound.part.assign(static_cast<std::size_t>(graph.nodes), -1);
  bound.parts = 0;
  for (int start = 0; start < graph.nodes; ++start) {
    if (bound.part[static_cast<std::size_t>(start)] >= 0) continue;
    std::vector<int> reached{start};
    bound.part[static_cast<std::size_t>(start)] = bound.parts;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        const CapacityEdge& edge = graph.edges[e];
        if (duals[e] > slack || (edge.from != reached[i] && edge.to != reached[i])) continue;
        const int other = edge.from == reached[i] ? edge.to : edge.from;
        int& part = bound.part[static_cast<std::size_t>(other)];
        if (part < 0) part = bound.parts, reached.push_back(other);
      }
    ++bound.parts;
  }
  for (const CapacityEdge& e : graph.edges)
    if (bound.part[static_cast<std::size_t>(e.from)] != bound.part[static_cast<std::size_t>(e.to)])
      bound.crossing += e.capacity;
  return bound;
}

}  // namespace

Candidate at_centre(const CapacityGraph& graph, EdgeSet edges) {
  const int root = centre(graph, edges);
  const int depth = rooted_tree(graph, edges, root, false).height();
  return {std::move(edges), root, depth};
}

UndirectedPacking undirected_packing(const CapacityGraph& undirected) {
  UndirectedPacking result;
  ClpSimplex lp;
  lp.setLogLevel(0);
  lp.resize(static_cast<int>(undirected.edges.size()), 0);
  std::vector<double> duals;
  for (std::size_t e = 0; e < undirected.edges.size(); ++e) {
    lp.setRowBounds(static_cast<int>(e), 0, undirected.edges[e].capacity);
    duals.push_back(1.0 / undirected.edges[e].capacity);
  }
  constexpr int most_columns = 10000;
  for (int columns = 0; columns < most_columns; ++columns) {
    const EdgeSet tree = cheapest_spanning_tree(undirected, duals);
    double price = 0;
    for (const int e : tree) price += duals[static_cast<std::size_t>(e)];
    if (columns > 0 && price > 1 - slack) break;
    add_column(lp, tree);
    result.trees.push_back(at_centre(undirected, tree));
    if (lp.primal(columns == 0 ? 0 : 1) != 0)
      throw PackingError("the linear program of an undirected packing has no solution");
    for (std::size_t e = 0; e < duals.size(); ++e) duals[e] = std::max(0.0, -lp.dualRowSolution()[e]);
  }
  const double* const x = lp.primalColumnSolution();
  result.best = exact_packing(result.trees, std::vector<double>(x, x + result.trees.size()));
  result.bound = partition(undirected, duals);
  verify(undirected, result.best, false);
  const double rate = -lp.objectiveValue();
  if (result.bound.parts < 2 || std::abs(rate - result.bound.rate().value()) > slack * rate)
    throw PackingError("an undirected packing of rate " + std::to_string(rate) + " has a bound of " +
                       std::to_string(result.bound.crossing) + " links between " + std::to_string(result.bound.parts) +
                       " parts");
  return result;
}

}  // namespace tributary::collective
