#pragma once
/// Trees from which a packing is chosen: those that a fractional packing by multiplicative weights comes upon.

#include <functional>
#include <vector>

#include "testbench/collective/packing/spanning_tree.h"

namespace tributary::collective {

/// Gives the cheapest tree under a cost of each edge.
using TreeOracle = std::function<EdgeSet(const std::vector<double>& costs)>;

/// A fractional packing (Garg and Koenemann).
struct CandidateTrees {
  std::vector<EdgeSet> trees;   ///< heaviest first
  std::vector<double> weights;  ///< in links
  double rate = 0;              ///< sum of the weights
  int iterations = 0;
};

/// docs/systems/blink.md#multiplicative-weights. Costs begin at 1/capacity; the cheapest tree gets the capacity of its
/// narrowest edge, and its edges become dearer by a factor of up to 1 + epsilon.
/// The oracle sees costs rounded to a sixteenth of a power of two, so that there are ties. `epsilon`: 0.02 to 0.5.
CandidateTrees candidate_trees(const CapacityGraph& graph, double epsilon, const TreeOracle& cheapest);

}  // namespace tributary::collective
