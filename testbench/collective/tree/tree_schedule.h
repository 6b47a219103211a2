#pragma once
/// Collectives that go up trees, down trees, or both, pipelined over chunks.

#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/tree/tree.h"

namespace tributary::collective {

/// Chunk c takes tree c % trees. Each message has a mailbox slot of its own, so no rank waits for room. Chunks of one sender
/// are sent, and awaited, in order; a tree's way up and its way down go on beside each other, and so do the trees.
/// Reduce and broadcast need trees of one root. Throw ScheduleError without ranks, chunks or trees.
Schedule tree_allreduce(const std::string& name, const std::vector<Tree>& trees, int chunks);
Schedule tree_broadcast(const std::string& name, const std::vector<Tree>& trees, int chunks);
Schedule tree_reduce(const std::string& name, const std::vector<Tree>& trees, int chunks);

}  // namespace tributary::collective
