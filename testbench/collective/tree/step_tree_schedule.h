#pragma once
/// step_tree_schedule: collectives over trees with time steps.

#include <string>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/tree/step_trees.h"

namespace tributary::collective {

/// The directions in which the chunks of a collective move.
struct TreeRoutes {
  const char* collective;
  bool up, down;
  bool personal;  ///< down, with a separate chunk for each rank
};
/// Returns null if the collective does not run on trees.
const TreeRoutes* tree_routes(const std::string& collective);

/// Returns the schedule of `allreduce` (up all trees in steps 1 to S, down in steps S + 1 to 2S), `reduce_scatter`,
/// `allgather` or `alltoall` (S steps). Chunk r uses tree r. Chunk i x ranks + j of an all-to-all goes down tree i to rank
/// j, so that an edge carries the chunks of all ranks below it. Operation::step is the time step, from 1. A rank's sends in
/// a step wait for its sends in its previous step, and its receives for its previous receives. Every message has a separate
/// mailbox slot. Throws ScheduleError for another collective, and for an all-to-all of more than 256 ranks.
Schedule step_tree_schedule(const std::string& name, const StepTrees& trees, const std::string& collective);
/// Returns that schedule without its programs. Throws as step_tree_schedule() does.
Schedule step_tree_outline(const std::string& name, const StepTrees& trees, const std::string& collective);

}  // namespace tributary::collective
