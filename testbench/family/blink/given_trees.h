#pragma once
/// Trees that the user gives in place of TreeGen's: chains, fans, or two trees over one link.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "platforms/topology/allocation.h"
#include "testbench/collective/packing/weighted_trees.h"

namespace tributary {

/// If there are no trees, TreeGen makes them.
struct GivenTrees {
  struct Tree {
    std::int64_t weight = 1;                   ///< the tree carries weight / (sum of all weights) of the message
    std::vector<std::pair<int, int>> edges{};  ///< from GPU, to GPU
  };
  std::vector<Tree> trees{};
};

/// Trees are separated by `/`. A tree is a list of paths of GPUs, such as `0>1>3 1>2`, after an optional weight, such as
/// `2: 0>1>3 1>2`.
template <>
struct ParameterText<GivenTrees> {
  static constexpr std::size_t max_trees = 64, max_edges = 1024;

  /// Throws UnitError.
  static GivenTrees parse(const std::string& text);
  static std::string print(const GivenTrees& trees);
  static std::string legal() { return "generated, or quoted trees such as '0>1>3 1>2 / 2: 0>2>1 2>3', weights 1 to 1000"; }
};

/// Returns the trees over the ranks of the allocation; each tree is a group of its own. `root`: rank that must be the root
/// of every tree, or -1. Throws ScheduleError, in one line, for GPUs outside the allocation, pairs without NVLink, edges
/// that form no tree over all ranks, and trees from another root.
std::vector<collective::WeightedTree> weighted_trees(const GivenTrees& given, const topology::Allocation& allocation,
                                                     int root);

}  // namespace tributary
