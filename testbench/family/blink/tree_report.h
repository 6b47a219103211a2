#pragma once
/// Text, JSON and drawing of `tributary schedule` for packed trees (docs/schedules.md#servers).

#include <string>
#include <vector>

#include "testbench/collective/packing/ring_search.h"
#include "testbench/collective/packing/tree_generator.h"
#include "testbench/run/family.h"

namespace tributary {

struct TreeReport {
  std::string topology;
  std::vector<std::string> notes;  ///< contents of the topology file that the simulator does not model
  Algorithm algorithm;
  bool rooted = false;
  int root = 0;  ///< rank, if rooted
  topology::Allocation allocation;
  collective::GeneratedTrees trees;
  collective::Rings rings;
  double ring_share = 1;   ///< rate of a ring as a fraction of a link's rate
  double pcie_ring = 0.5;  ///< rate of a ring over PCIe, in links

  /// Returns the rate of the baseline in links.
  double ring_rate() const { return ring_share * (rings.directed.empty() ? pcie_ring : rings.links()); }
};

std::string screen_text(const TreeReport& report);
std::string tree_json(const TreeReport& report);
/// Returns a drawing for Graphviz with a cluster for each tree.
std::string tree_drawing(const TreeReport& report);

}  // namespace tributary
