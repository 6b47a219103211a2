#pragma once
/// The dissemination barrier (Hensgen, Finkel, Manber, Int. J. Parallel Program. 17, 1988).

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// In round s every rank tells rank + 2^s that it has heard of all that it has heard of: ceil(log2 ranks) rounds of one
/// flag. Throws ScheduleError when ranks < 1.
Schedule dissemination_barrier(int ranks);

}  // namespace tributary::collective
