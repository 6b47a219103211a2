#pragma once
/// The star all-reduce, as a parameter server does it; the example of docs/adding_a_collective.md.

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// All ranks send their message to rank 0, which adds the messages and sends the sum to all. Throws ScheduleError when
/// ranks < 1.
Schedule star_allreduce(int ranks);

}  // namespace tributary::collective
