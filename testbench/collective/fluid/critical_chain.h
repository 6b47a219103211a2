#pragma once
/// The chain of activities that determines the end of a fluid run.

#include <vector>

#include "testbench/collective/fluid/activity_graph.h"
#include "testbench/collective/fluid/fluid_run.h"

namespace tributary::collective {

/// A link of the chain: the next activity waited for this moment of `activity`, and for `delay` ps after it.
struct ChainLink {
  ActivityGraph::Id activity = 0;
  Moment moment = Moment::arrived;
  double delay = 0;
};

/// Returns the chain from the first activity to the one that arrives last, whose moment is its arrival. Each activity began
/// when it could: after the last moment that it waited for, or when its lane was free. `run` has ended.
std::vector<ChainLink> critical_chain(const ActivityGraph& graph, const FluidRun& run);

}  // namespace tributary::collective
