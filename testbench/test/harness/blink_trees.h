#pragma once
/// Packings of trees for the classes of allocations.

#include <functional>
#include <vector>

#include "platforms/topology/dgx1.h"
#include "testbench/collective/packing/packed_schedule.h"
#include "testbench/collective/packing/tree_generator.h"
#include "testbench/test/harness/blink_classes.h"

namespace blink_trees {

using tributary::collective::TreeUse;
using tributary::collective::WeightedTree;

inline const std::vector<TreeUse> all_uses{TreeUse::broadcast, TreeUse::reduce,    TreeUse::allreduce,
                                           TreeUse::gather,    TreeUse::allgather, TreeUse::reduce_scatter};
inline bool rooted(TreeUse use) { return use == TreeUse::broadcast || use == TreeUse::reduce || use == TreeUse::gather; }

inline std::vector<WeightedTree> trees_of(const tributary::topology::Server& server, const std::vector<int>& gpus,
                                          TreeUse use, int root = 0) {
  const auto allocation = tributary::topology::allocation(server, gpus);
  const auto found = rooted(use) ? tributary::collective::broadcast_trees(allocation, root)
                                 : tributary::collective::allreduce_trees(allocation);
  return weighted_trees(found.graph, found.packing, rooted(use));
}

/// Packings of all 60 classes: for broadcasts from rank 0, and for all-reduces.
inline void for_each_class(
    const std::function<void(const std::vector<WeightedTree>&, const std::vector<WeightedTree>&)>& see) {
  const auto each = [&](const tributary::topology::Server& server, const std::vector<blink_classes::Class>& classes) {
    for (const blink_classes::Class& c : classes)
      see(trees_of(server, c.gpus, TreeUse::broadcast), trees_of(server, c.gpus, TreeUse::allreduce));
  };
  each(tributary::topology::dgx1v(), blink_classes::dgx1v);
  each(tributary::topology::dgx1p(), blink_classes::dgx1p);
}

inline const std::vector<int> all_gpus{0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace blink_trees
