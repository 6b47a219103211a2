#pragma once
/// three_phase_trees: trees over several servers (Wang et al., MLSys 2020, 3.5). Chunks go up to a local root on each
/// server, one hop between the local roots, and down again.

#include <optional>
#include <vector>

#include "testbench/collective/packing/weighted_trees.h"

namespace tributary::collective {

/// The trees of one server over its own GPUs.
struct ServerTrees {
  std::vector<WeightedTree> trees;
  std::vector<int> ranks;  ///< [node of the trees] rank
  double rate = 0;         ///< rate of all its trees together, which breaks ties between servers with equally many trees
};

/// The message is divided into one partition for each tree of the server with most trees, with the weights of these trees.
/// If several servers have most trees, that with the least rate is used. Each other server assigns the partitions, the
/// largest first, to the tree with the least load relative to its weight. A partition has a local root on each server, and
/// is divided into n equal parts for n servers. The local root on server j is the root of part j, and all other local roots
/// are one hop below it. The n trees of a partition are one group.
///
/// With `root_server`, the local root on that server is the only root of every partition. This is for a broadcast or reduce,
/// if that server's trees have the collective's root.
///
/// Throws ScheduleError if there are no servers or a server has no trees, and if a rank is missing or on two servers.
std::vector<WeightedTree> three_phase_trees(const std::vector<ServerTrees>& servers,
                                            std::optional<int> root_server = std::nullopt);

}  // namespace tributary::collective
