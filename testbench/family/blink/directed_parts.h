#pragma once
/// Trees of all-gathers and reduce-scatters that lead from each rank over directed links (docs/systems/blink.md#trees).

#include <vector>

#include "platforms/topology/allocation.h"
#include "testbench/collective/packing/tree_generator.h"
#include "testbench/collective/packing/weighted_trees.h"
#include "testbench/family/blink/algorithms.h"
#include "testbench/family/blink/codegen_params.h"

namespace tributary {

/// True if each rank's part of the job has trees of its own.
bool has_directed_parts(const TreeAlgorithm& algorithm, const topology::Allocation& allocation, const TreegenParams& params);

/// Returns the trees of a broadcast from every rank, each tree as a separate group. Throws ScheduleError if NVLinks do not
/// join the ranks.
std::vector<collective::WeightedTree> trees_from_each_rank(const topology::Allocation& allocation,
                                                           const collective::TreeOptions& options,
                                                           collective::KeptTrees& kept);

}  // namespace tributary
