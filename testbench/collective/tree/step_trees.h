#pragma once
/// StepTrees: spanning trees whose edges have a time step. MultiTree builds them; schedules, NIC tables and checks use them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary::collective {

/// Parent and child are ranks. An all-gather, which goes down, uses the edge in `step` of its phase, counted from 1. A
/// reduce-scatter, which goes up, uses it in step steps + 1 - `step`, from the child to the parent over the same links.
struct TreeEdge {
  int parent = 0, child = 0, step = 0;
  std::uint32_t first_hop = 0, hops = 0;  ///< range in StepTree::hops
};

struct StepTree {
  int root = 0;
  std::vector<TreeEdge> edges;          ///< in order of addition: the edge to a rank precedes the edges from it
  std::vector<topology::PortRef> hops;  ///< output ports along all edges, from parent to child

  /// Return the range of the links of an edge from parent to child: one link on a direct network.
  const topology::PortRef* begin(const TreeEdge& e) const { return hops.data() + e.first_hop; }
  const topology::PortRef* end(const TreeEdge& e) const { return begin(e) + e.hops; }
  /// Returns the number of edges from the root to the deepest rank.
  int height() const;
};

struct StepTrees {
  std::vector<int> nodes;            ///< [rank] node of the graph
  std::vector<StepTree> trees;       ///< [rank of the root]
  int steps = 0;                     ///< steps of a phase
  int links = 0;                     ///< number of directed links between participants, and of trunks
  std::vector<int> links_used = {};  ///< [step - 1] number of links used

  int ranks() const { return static_cast<int>(nodes.size()); }
  /// Returns the share of the links that are used in a step, from 1.
  double utilisation(int step) const {
    return static_cast<double>(links_used.at(static_cast<std::size_t>(step) - 1)) / links;
  }
};

/// Proves the following properties, or throws ScheduleError. Every tree spans all ranks, each once, below a parent of an
/// earlier step. The links of an edge lead from its parent to its child. No link is used twice in a step. On direct networks
/// an edge is one link.
void verify(const StepTrees& trees, const topology::Graph& graph);

}  // namespace tributary::collective
