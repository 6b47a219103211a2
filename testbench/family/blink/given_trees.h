#pragma once
/// Trees that a user gives by hand instead of TreeGen: chains, fans, two trees over one link.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "platforms/topology/allocation.h"
#include "testbench/collective/packing/weighted_trees.h"

namespace tributary {

/// None: those of TreeGen.
struct GivenTrees {
  struct Tree {
    std::int64_t weight = 1;                   ///< share of the message, over those of all trees
    std::vector<std::pair<int, int>> edges{};  ///< from GPU, to GPU
  };
  std::vector<Tree> trees{};
};

/// Trees with `/` between them: paths of GPUs, `0>1>3 1>2`, and before them a weight, `2: 0>1>3 1>2`.
template <>
struct ParameterText<GivenTrees> {
  static constexpr std::size_t max_trees = 64, max_edges = 1024;

  /// Throws UnitError.
  static GivenTrees parse(const std::string& text);
  static std::string print(const GivenTrees& trees);
  static std::string legal() { return "generated, or trees such as 0>1>3 1>2 / 2: 0>2>1 2>3, with weights from 1 to 1000"; }
};

/// The same over the ranks of the allocation, each a group of its own. Throws ScheduleError, one line: GPUs that do not take
/// part, pairs without NVLink, edges that are no tree over all ranks; where `root` is a rank, trees from others.
std::vector<collective::WeightedTree> weighted_trees(const GivenTrees& given, const topology::Allocation& allocation,
                                                     int root);

}  // namespace tributary
