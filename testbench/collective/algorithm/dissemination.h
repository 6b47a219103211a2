#pragma once
/// The dissemination barrier (Hensgen, Finkel, Manber, Int. J. Parallel Program. 17, 1988).

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// In round s every rank sends a flag to rank + 2^s after it has received the flag of round s - 1, which takes ceil(log2
/// ranks) rounds. Throws ScheduleError when ranks < 1.
Schedule dissemination_barrier(int ranks);

}  // namespace tributary::collective
