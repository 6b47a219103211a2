#pragma once
/// Candidate trees of a packing: the trees of a fractional packing by multiplicative weights.

#include <functional>
#include <vector>

#include "testbench/collective/packing/spanning_tree.h"

namespace tributary::collective {

/// Returns the cheapest tree for the given cost of each edge.
using TreeOracle = std::function<EdgeSet(const std::vector<double>& costs)>;

/// A fractional packing (Garg and Koenemann).
struct CandidateTrees {
  std::vector<EdgeSet> trees;   ///< heaviest first
  std::vector<double> weights;  ///< in links
  double rate = 0;              ///< sum of the weights
  int iterations = 0;
};

/// Costs begin at 1/capacity. In each iteration the weight of the cheapest tree grows by the capacity of its narrowest edge,
/// and the costs of its edges grow by a factor of up to 1 + epsilon (docs/systems/blink.md#multiplicative-weights). The
/// oracle receives costs rounded to a sixteenth of a power of two, so that there are ties. `epsilon`: 0.02 to 0.5.
CandidateTrees candidate_trees(const CapacityGraph& graph, double epsilon, const TreeOracle& cheapest);

}  // namespace tributary::collective
