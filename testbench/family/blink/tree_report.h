#pragma once
/// What `tributary schedule` prints, writes and draws of packed trees (docs/schedules.md#servers).

#include <string>
#include <vector>

#include "testbench/collective/packing/ring_search.h"
#include "testbench/collective/packing/tree_generator.h"
#include "testbench/run/family.h"

namespace tributary {

struct TreeReport {
  std::string topology;
  std::vector<std::string> notes;  ///< what its file has and no model of ours
  Method method;
  bool rooted = false;
  int root = 0;  ///< rank, where rooted
  topology::Allocation allocation;
  collective::GeneratedTrees trees;
  collective::Rings rings;
  double ring_share = 1;   ///< of a link's rate, that a ring carries
  double pcie_ring = 0.5;  ///< rate of a PCIe ring, in links

  /// Of the baseline, in links.
  double ring_rate() const { return ring_share * (rings.directed > 0 ? rings.directed : pcie_ring); }
};

std::string screen_text(const TreeReport& report);
std::string tree_json(const TreeReport& report);
/// A drawing for Graphviz: a cluster for each tree.
std::string tree_drawing(const TreeReport& report);

}  // namespace tributary
