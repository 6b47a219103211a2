#pragma once
/// Schedules between places of a network instead of ranks.

#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// The schedule whose rank p is carried out by rank `rank_at[p]`, a permutation. Where chunk p is rank p's part (each flow
/// has one end at one rank), it becomes the part of that rank. Throws ScheduleError on another number of ranks.
Schedule placed(const Schedule& schedule, const std::vector<int>& rank_at);

/// Recursive halving and doubling with ranks mapped on a BiGraph (HDRM, EFLOPS; docs/systems/multitree.md#hdrm-ranks): node
/// of each rank. The layer is the parity of the rank's bits; even ranks lie on the upper switch of their lowest bits, odd
/// ones on the lower switch of the next bits. In every exchange partners lie on different layers; each link between switches
/// carries at most one message where nics <= switches / 2. Throws ScheduleError unless nics and switches are powers of two
/// and nics is at least switches / 4.
std::vector<int> hdrm_nodes(int nics, int switches);

}  // namespace tributary::collective
