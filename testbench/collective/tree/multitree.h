#pragma once
/// MultiTree (Huang et al., ISCA 2021, Algorithm 1; docs/systems/multitree.md#trees): one spanning tree for each node, grown
/// side by side in time steps, each link used by one tree in a step.

#include "testbench/collective/tree/step_trees.h"

namespace tributary::collective {

/// In which order the trees take turns in a step. The paper leaves the choice for asymmetric networks.
enum class TreeOrder {
  root,          ///< ascending root rank
  eccentricity,  ///< trees whose root is farther from its farthest node first, then by rank
  remaining      ///< the same of the nodes that are still missing, anew in each step
};

/// How far a parent looks for a free node on indirect networks, and what comes first; the paper leaves it open
/// (docs/systems/multitree.md#search-through-switches).
enum class SwitchSearch {
  no_transit,  ///< parents in order of addition, any distance, but only through switches without participants
  literal,     ///< parents in order of addition, any distance
  nearest      ///< nodes one switch away first, then two, then three
};

struct MultiTreeOptions {
  TreeOrder order = TreeOrder::root;
  SwitchSearch search = SwitchSearch::no_transit;
};

/// Trees over `members` (end nodes of the graph; rank i is the i-th): on a direct network over the links between members,
/// neighbours in the order of the ports; on an indirect one through switches, on the first free of parallel links. Steps
/// count from 1. Throws ScheduleError on fewer than 2 members, on a node that is none of the graph's end nodes or is named
/// twice, and when the members are not connected.
StepTrees multitree(const topology::Graph& graph, const std::vector<int>& members, const MultiTreeOptions& options = {});

}  // namespace tributary::collective
