#pragma once
/// shared_packing: trees over pairs of nodes whose data cross links that other pairs may share, such as the links of a PCIe
/// tree (Wang et al., MLSys 2020, 3.1 and A.3: NVLink and PCIe in one graph).

#include <vector>

#include "testbench/collective/packing/weighted_trees.h"

namespace tributary::collective {

/// A link that the data of a pair cross.
struct SharedUse {
  int link = 0;
  double time = 0;  ///< time of a unit of data on this link, positive
};

struct SharedEdge {
  int from = 0, to = 0;
  std::vector<SharedUse> uses;  ///< in this direction
};

/// Each pair that may be joined is an edge in both directions.
struct SharedGraph {
  int nodes = 0, links = 0;
  std::vector<SharedEdge> edges;
};

struct SharedPacking {
  std::vector<WeightedTree> trees;
  double rate = 0;   ///< units of data per unit of time, by the busiest link
  double bound = 0;  ///< greatest rate of any trees
};

/// Returns trees with the greatest rate: a linear program over trees by column generation (Clp), whose duals price the
/// edges. Then trees are left out, the lightest first, while the rate stays above (1 - threshold) x bound. `directed`: data
/// go down from `root` alone. Otherwise a tree carries the data up and down, each root is the centre of its tree, and `root`
/// is not used. Throws ScheduleError if the edges do not join all nodes.
SharedPacking shared_packing(const SharedGraph& graph, bool directed, int root, double threshold);

}  // namespace tributary::collective
