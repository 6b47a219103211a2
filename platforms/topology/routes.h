#pragma once
/// Shortest paths over a Graph: the source of every routing table.

#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// Output ports on shortest paths to every node. A packet never changes plane, for GPUs do not forward
/// (docs/systems/klenk.md#dgx-2).
class Routes {
 public:
  explicit Routes(const Graph& graph);

  /// Sorted output ports of `from` on shortest paths to `to` (a GPU or a switch). From a GPU: the ports that are shortest
  /// within their own plane, so one entry or more for each plane that reaches `to`. Empty: unreachable, or from == to.
  const std::vector<int>& next_hops(int from, int to) const { return hops_[at(from, to)]; }

  /// Deterministic choice among equal paths by an address-derived number, as trunks are chosen: hops[j % hops.size()].
  /// Throws TopologyError when `to` cannot be reached.
  int port(int from, int to, unsigned j) const;

 private:
  std::size_t at(int from, int to) const { return static_cast<std::size_t>(from) * size_ + static_cast<std::size_t>(to); }

  std::size_t size_;
  std::vector<std::vector<int>> hops_;
};

}  // namespace tributary::topology
