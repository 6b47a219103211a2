#pragma once
/// Routes: shortest paths over a Graph, from which every routing table is built.

#include <stdexcept>
#include <string>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Output ports on shortest paths between all nodes of an island. A packet never changes plane, as GPUs do not forward
/// (docs/systems/klenk.md#dgx-2). A node of another island throws std::out_of_range.
class Routes {
 public:
  explicit Routes(const Graph& graph, int island = 0);

  /// Returns the sorted output ports of `from` on shortest paths to `to` (a GPU or a switch). For a GPU these are the
  /// shortest within each plane, so at least one entry per plane that reaches `to`. Empty: unreachable, or from == to.
  const std::vector<int>& next_hops(int from, int to) const { return hops_[at(from, to)]; }

  /// Selects one of the equal paths by a number derived from the address, as trunks are selected: hops[j %
  /// hops.size()]. Throws TopologyError if `to` cannot be reached.
  int port(int from, int to, unsigned j) const;

 private:
  std::size_t place(int node) const {
    const int place = place_.at(static_cast<std::size_t>(node));
    if (place < 0) throw std::out_of_range("node " + std::to_string(node) + " belongs to another island");
    return static_cast<std::size_t>(place);
  }
  std::size_t at(int from, int to) const { return place(from) * size_ + place(to); }

  std::vector<int> place_;  // by node: its place in the island, or -1
  std::size_t size_ = 0;
  std::vector<std::vector<int>> hops_;
};

}  // namespace tributary::topology
