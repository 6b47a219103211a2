#pragma once
/// TreeGen: the trees of a collective on the NVLinks of an allocation (docs/systems/blink.md#trees).

#include <optional>

#include "testbench/collective/packing/undirected_packing.h"

namespace tributary::collective {

struct TreeOptions {
  double epsilon = 0.05;    ///< of the multiplicative weights: 0.02 to 0.5
  double threshold = 0.05;  ///< share of the bound that an all-reduce may lack for coarser weights: 0 to 0.5
  /// Of an all-reduce. Weights are tried in whole links, halves and so on to 1/finest (1, 2, 4, 8), then any, as a linear
  /// program has them; 0: that at once.
  std::int64_t finest = 8;
  bool least_depth = false;  ///< of an all-reduce of up to 8 ranks: least depth before fewest trees
  bool common_root = false;  ///< of an all-reduce: all trees have the root that makes them least deep, not each its centre
};

/// What proves that no packing is better: a cut from the root, or a partition.
struct GeneratedTrees {
  CapacityGraph graph;  ///< what the edges of the trees are numbers of
  TreePacking packing;  ///< verified
  Fraction bound = 0;   ///< the greatest rate of all packings
  std::optional<RootCut> cut;
  std::optional<PartitionBound> partition;
  std::int64_t step = 1;       ///< weights are multiples of 1/step; 0: any (linear program)
  bool fewest = false;         ///< proved: no packing of the candidates in these weights has fewer trees
  bool completed = false;      ///< with trees beside the candidates, of integral_packing() or forest_packing()
  int candidates = 0;          ///< trees of the fractional packing
  double fractional_rate = 0;  ///< its rate
};

/// Each tree leads from `root` along the directions of its links. Throws ScheduleError when NVLinks do not join the ranks.
GeneratedTrees broadcast_trees(const topology::Allocation& allocation, int root, const TreeOptions& options = {});

/// Each tree uses both directions of its links, up to its centre and down again. Throws as above.
GeneratedTrees allreduce_trees(const topology::Allocation& allocation, const TreeOptions& options = {});

}  // namespace tributary::collective
