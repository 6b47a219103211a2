#pragma once
/// What collectives Blink's trees carry.

#include <string>
#include <vector>

#include "testbench/collective/packing/packed_schedule.h"
#include "testbench/collective/packing/tree_generator.h"
#include "testbench/run/family.h"

namespace tributary {

struct TreeMethod {
  Method method;
  collective::TreeUse use;
  bool hybrid;  ///< over PCIe, too
  bool rooted;  ///< all trees have one root, which the user chooses; else each its own
  collective::GeneratedTrees (*generate)(const topology::Allocation& allocation, int root,
                                         const collective::TreeOptions& options);
  /// What a ring carries of a link's rate; null: its trees are drawn (`tributary schedule`) for another collective.
  double (*ring_share)(int ranks);
};
const std::vector<TreeMethod>& tree_methods();
/// Throws std::invalid_argument when trees carry no such collective.
const TreeMethod& tree_method(const std::string& collective, const std::string& algorithm);

}  // namespace tributary
