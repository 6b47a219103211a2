#pragma once
/// Spanning trees whose edges have a time step: what MultiTree builds, and what schedules, NIC tables and checks are made
/// from.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::collective {

/// Parent and child are ranks. On the way down (all-gather) the edge is used in `step` of its phase, counted from 1; on the
/// way up (reduce-scatter) in steps + 1 - `step`, from the child to the parent over the same links.
struct TreeEdge {
  int parent = 0, child = 0, step = 0;
  std::uint32_t first_hop = 0, hops = 0;  ///< in StepTree::hops
};

struct StepTree {
  int root = 0;
  std::vector<TreeEdge> edges;          ///< in order of addition: a parent's own edge comes first
  std::vector<topology::PortRef> hops;  ///< of all edges: ports by which each node is left on the way down

  /// The links that an edge traverses, from parent to child: one on a direct network.
  const topology::PortRef* begin(const TreeEdge& e) const { return hops.data() + e.first_hop; }
  const topology::PortRef* end(const TreeEdge& e) const { return begin(e) + e.hops; }
  /// Edges from the root to the deepest rank.
  int height() const;
};

struct StepTrees {
  std::vector<int> nodes;            ///< of the graph, of each rank
  std::vector<StepTree> trees;       ///< [rank of the root]
  int steps = 0;                     ///< of a phase
  int links = 0;                     ///< directed links between the participants, and trunks
  std::vector<int> links_used = {};  ///< [step - 1]

  int ranks() const { return static_cast<int>(nodes.size()); }
  /// Share of the links that are used in a step, from 1.
  double utilisation(int step) const {
    return static_cast<double>(links_used.at(static_cast<std::size_t>(step) - 1)) / links;
  }
};

/// Proves, or throws ScheduleError: every tree spans all ranks, each once, under a parent of an earlier step; the links of
/// an edge lead from its parent to its child; no link is used twice in a step; on direct networks an edge is one link.
void verify(const StepTrees& trees, const topology::Graph& graph);

}  // namespace tributary::collective
