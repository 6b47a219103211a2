#pragma once
/// Schedules of collectives that go up trees, down trees, or both, pipelined over chunks.

#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/tree/tree.h"

namespace tributary::collective {

/// These functions return schedules in which chunk c uses tree c % trees. Each message has a separate mailbox slot, so that
/// no rank waits for space. A rank sends and awaits the chunks of one sender in order. The trees, and the two directions of
/// each tree, run independently. Reduce and broadcast need trees with a common root. They throw ScheduleError if there are
/// no ranks, chunks or trees.
Schedule tree_allreduce(const std::string& name, const std::vector<Tree>& trees, int chunks);
Schedule tree_broadcast(const std::string& name, const std::vector<Tree>& trees, int chunks);
Schedule tree_reduce(const std::string& name, const std::vector<Tree>& trees, int chunks);

}  // namespace tributary::collective
