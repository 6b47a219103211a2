#pragma once
/// All-reduces among machines of several GPUs each (Liu et al., 3.4; docs/systems/netreduce.md#collectives). Rank m x gpus +
/// g is GPU g of machine m.

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Returns PR, the parallel ring: a ring reduce-scatter within each machine, ring all-reduces among the GPUs of equal index
/// in all machines, and a ring all-gather within each machine. Throws ScheduleError unless both are at least 1.
Schedule parallel_ring_allreduce(int machines, int gpus);

/// Returns TA, Tencent's algorithm: reduction to GPU 0 of each machine (halving, then gathering along a binomial tree), a
/// ring of these GPUs, and a broadcast (scattering along the tree, then a ring), with the steps that Eq. (2) counts. Throws
/// ScheduleError unless `machines` is at least 1 and `gpus` is a power of two.
Schedule tencent_allreduce(int machines, int gpus);

}  // namespace tributary::collective
