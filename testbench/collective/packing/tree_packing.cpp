#include "testbench/collective/packing/tree_packing.h"

#include <algorithm>
#include <numeric>

namespace tributary::collective {

Fraction::Fraction(std::int64_t n, std::int64_t d) : numerator(n), denominator(d) {
  const std::int64_t common = std::gcd(n, d);
  if (common > 1) numerator /= common, denominator /= common;
}

std::string Fraction::text() const {
  return std::to_string(numerator) + (denominator == 1 ? "" : "/" + std::to_string(denominator));
}

Fraction TreePacking::rate() const {
  std::int64_t units = 0;
  for (const PackedTree& tree : trees) units += tree.units;
  return {units, denominator};
}

int TreePacking::depth() const {
  int deepest = 0;
  for (const PackedTree& tree : trees) deepest = std::max(deepest, tree.depth);
  return deepest;
}

void verify(const CapacityGraph& graph, const TreePacking& packing, bool directed) {
  std::vector<std::int64_t> load(graph.edges.size(), 0);
  for (const PackedTree& tree : packing.trees) {
    if (tree.units <= 0) throw PackingError("a tree of a packing has no weight");
    try {
      if (rooted_tree(graph, tree.edges, tree.root, directed).height() != tree.depth)
        throw PackingError("the recorded depth of a tree of a packing is wrong");
    } catch (const PackingError&) {
      throw;
    } catch (const std::logic_error& error) {
      throw PackingError(error.what());
    }
    for (const int e : tree.edges) load[static_cast<std::size_t>(e)] += tree.units;
  }
  for (std::size_t e = 0; e < load.size(); ++e)
    if (load[e] > packing.denominator * graph.edges[e].capacity)
      throw PackingError("trees load the edge from " + std::to_string(graph.edges[e].from) + " to " +
                         std::to_string(graph.edges[e].to) + " with " + Fraction(load[e], packing.denominator).text() +
                         " of its " + std::to_string(graph.edges[e].capacity) + " links");
}

}  // namespace tributary::collective
