#pragma once
/// MultiTree (Huang et al., ISCA 2021, Algorithm 1; docs/systems/multitree.md#trees): one spanning tree for each node. All
/// trees grow simultaneously in time steps, and one tree uses each link in a step.

#include "platforms/topology/up_down.h"
#include "testbench/collective/tree/step_trees.h"

namespace tributary::collective {

/// The order in which trees take turns in a step. The paper leaves the order open for asymmetric networks.
enum class TreeOrder {
  root,          ///< ascending root rank
  eccentricity,  ///< descending distance of the root to its farthest node, then ascending rank
  remaining      ///< descending distance of the tree to the farthest node that it lacks, sorted anew in each step
};

/// The search of a parent for a free node on indirect networks. The paper leaves the distance and the order of the search
/// open (docs/systems/multitree.md#search-through-switches).
enum class SwitchSearch {
  no_transit,  ///< parents in order of addition, any distance, but only through switches without participants
  literal,     ///< parents in order of addition, any distance
  nearest      ///< nodes one switch away first, then two, then three, and so on in networks with longer paths
};

struct MultiTreeOptions {
  TreeOrder order = TreeOrder::root;
  SwitchSearch search = SwitchSearch::no_transit;
  const topology::UpDown* up_down = nullptr;  ///< if set, edges of trees have links up, then links down
};

/// Returns trees over `members`, which are end nodes of the graph; rank i is members[i]. On a direct network, trees use
/// links between members, with neighbours in the order of the ports. On an indirect network they lead through switches, on
/// the first free of parallel links. Steps are counted from 1. Throws ScheduleError for fewer than 2 members, for a member
/// that is no end node or is named twice, and if the members are not connected.
StepTrees multitree(const topology::Graph& graph, const std::vector<int>& members, const MultiTreeOptions& options = {});

}  // namespace tributary::collective
