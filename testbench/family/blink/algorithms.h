#pragma once
/// The table of collectives that Blink's trees carry.

#include <string>
#include <vector>

#include "testbench/collective/packing/kept_trees.h"
#include "testbench/collective/packing/packed_schedule.h"
#include "testbench/run/family.h"

namespace tributary {

struct TreeAlgorithm {
  Algorithm algorithm;
  collective::TreeUse use;
  bool hybrid;  ///< part of the message crosses PCIe
  bool rooted;  ///< all trees start at the root that the user chooses; else each tree has its own root
  const collective::GeneratedTrees& (*generate)(collective::KeptTrees& kept, const topology::Allocation& allocation,
                                                int root, const collective::TreeOptions& options);
  /// Returns the rate of a ring as a fraction of a link's rate. Null if `tributary schedule` draws these trees under another
  /// collective.
  double (*ring_share)(int ranks);
};
const std::vector<TreeAlgorithm>& tree_algorithms();
/// Throws std::invalid_argument if the table has no such row.
const TreeAlgorithm& tree_algorithm(const std::string& collective, const std::string& algorithm);

}  // namespace tributary
