#pragma once
/// Blink's TreeGen: the trees of a collective on the NVLinks of an allocation (docs/systems/blink.md#trees).

#include <optional>

#include "testbench/collective/packing/undirected_packing.h"

namespace tributary::collective {

struct TreeOptions {
  double epsilon = 0.05;    ///< step of the multiplicative weights: 0.02 to 0.5
  double threshold = 0.05;  ///< share of the bound that an all-reduce may lose for coarser weights: 0 to 0.5
  /// Finest weights of an all-reduce: whole links are tried first, then halves and so on to 1/finest (1, 2, 4, 8), then the
  /// weights of a linear program. With 0 only the linear program is tried.
  std::int64_t finest = 8;
  bool least_depth = false;  ///< an all-reduce of up to 8 ranks prefers least depth to fewest trees
  bool common_root = false;  ///< all trees of an all-reduce have the root that minimises depth, instead of their centres
};

/// A packing of trees, and the cut or partition that proves that no packing is better.
struct GeneratedTrees {
  CapacityGraph graph;  ///< the trees consist of numbers of its edges
  TreePacking packing;  ///< verified
  Fraction bound = 0;   ///< greatest rate of any packing
  std::optional<RootCut> cut;
  std::optional<PartitionBound> partition;
  std::int64_t step = 1;       ///< weights are multiples of 1/step; 0: any weights, of a linear program
  bool fewest = false;         ///< proved: no packing of the candidates with such weights has fewer trees
  bool completed = false;      ///< some trees are from integral_packing() or forest_packing(), and are no candidates
  int candidates = 0;          ///< number of trees of the fractional packing
  double fractional_rate = 0;  ///< rate of the fractional packing
};

/// Returns trees that lead from `root` along the directions of their links. Throws ScheduleError if NVLinks do not join the
/// ranks.
GeneratedTrees broadcast_trees(const topology::Allocation& allocation, int root, const TreeOptions& options = {});

/// Returns trees that use both directions of their links, up to the root and down again. Throws as broadcast_trees() does.
GeneratedTrees allreduce_trees(const topology::Allocation& allocation, const TreeOptions& options = {});

}  // namespace tributary::collective
