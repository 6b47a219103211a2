#pragma once
/// Mapping of schedules to nodes of a network.

#include <vector>

#include "testbench/collective/schedule/rank_programs.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Returns the schedule with rank p executed by rank `rank_at[p]`, a permutation. If chunk p is the slice of rank p (each
/// goal names one rank), it becomes the slice of that rank. Throws ScheduleError if the sizes differ.
Schedule placed(Schedule schedule, const std::vector<int>& rank_at);
RankPrograms placed(RankPrograms programs, const std::vector<int>& rank_at);

/// Recursive halving and doubling with ranks mapped to a BiGraph (HDRM, EFLOPS; docs/systems/multitree.md#hdrm-ranks):
/// returns the node of each rank. The layer is the parity of the rank's bits; even ranks are on the upper switch given by
/// their lowest bits, odd ranks on the lower switch given by the next bits. The partners of every exchange are on different
/// layers; each link between switches carries at most one message if nics <= switches / 2. Throws ScheduleError unless nics
/// and switches are powers of two and nics is at least switches / 4.
std::vector<int> hdrm_nodes(int nics, int switches);

}  // namespace tributary::collective
