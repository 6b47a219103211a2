#pragma once
/// Trees over several servers (Wang et al., MLSys 2020, 3.5): up to a local root on each server, one hop among the local
/// roots, and down again.

#include <optional>
#include <vector>

#include "testbench/collective/packing/weighted_trees.h"

namespace tributary::collective {

/// The trees of one server over its own GPUs.
struct ServerTrees {
  std::vector<WeightedTree> trees;
  std::vector<int> ranks;  ///< of its GPUs, in the order that the trees number them
  double rate = 0;         ///< of all its trees: decides between servers with equally many
};

/// Partitions of the message are as many as the server with most trees has, and have its weights (of several, those of the
/// one with the least rate). Each other server carries partition after partition, the greatest first, on the tree that then
/// has the least to carry for its own weight. A partition has a local root on each server, and falls into n equal parts for
/// n servers: of part j the local root on server j is the root, and all other local roots are one hop below it. The n
/// trees of a partition are one group.
///
/// With `root_server` its local root alone is the root, of all of each partition: for a broadcast or reduce, where that
/// server's trees have the collective's root.
///
/// Throws ScheduleError without servers or trees, and unless each rank of 0 to their number - 1 is on one server.
std::vector<WeightedTree> three_phase_trees(const std::vector<ServerTrees>& servers,
                                            std::optional<int> root_server = std::nullopt);

}  // namespace tributary::collective
