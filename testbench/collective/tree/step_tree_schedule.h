#pragma once
/// Collectives over trees with time steps.

#include <string>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/tree/step_trees.h"

namespace tributary::collective {

/// Which way the parts of a collective go.
struct TreeWays {
  const char* collective;
  bool up, down;
  bool personal;  ///< down, to each rank a chunk of its own
};
/// Null when the collective does not run on trees.
const TreeWays* tree_ways(const std::string& collective);

/// `allreduce` (up all trees in steps 1 to S, down in S + 1 to 2S), `reduce_scatter`, `allgather` and `alltoall` (S steps).
/// Chunk r goes over tree r; of an all-to-all chunk i x ranks + j goes down tree i to rank j, so that an edge carries all
/// that is for the ranks behind it. Operation::step is the time step, from 1: what a rank sends in a step waits for what it
/// sent in its last one, and what it takes for what it took. Every message has a mailbox slot of its own. Throws
/// ScheduleError on another collective, and on an all-to-all of more than 256 ranks.
Schedule step_tree_schedule(const std::string& name, const StepTrees& trees, const std::string& collective);

}  // namespace tributary::collective
