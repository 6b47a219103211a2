#pragma once
/// All-reduces among machines of several GPUs each (Liu et al., 4.4; docs/systems/netreduce.md#collectives). Rank m x gpus +
/// g is GPU g of machine m.

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// PR: a ring of the GPUs of each machine leaves each a part of their sum, rings of the GPUs at equal places of all machines
/// add these parts up, and a ring of each machine gathers them. Throws ScheduleError unless both are at least 1.
Schedule parallel_ring_allreduce(int machines, int gpus);

/// TA: reduction to GPU 0 of each machine (halving, then gathering along a binomial tree), a ring of these, and a broadcast
/// (scattering along the tree, then a ring), as Eq. (2) counts their steps. Throws ScheduleError unless `machines` is at
/// least 1 and `gpus` a power of two.
Schedule tencent_allreduce(int machines, int gpus);

}  // namespace tributary::collective
