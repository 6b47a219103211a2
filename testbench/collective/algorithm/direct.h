#pragma once
/// Collectives without a detour: every part goes straight from the rank that has it to the rank that wants it.

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Chunk r is rank r's part; all parts go to the root. Throws ScheduleError without ranks or root.
Schedule direct_gather(int ranks, int root);

/// Chunk i x ranks + j goes from rank i to rank j; chunk i x ranks + i stays. In step s rank r sends to r + s and receives
/// from r - s, so that every rank always sends to one rank and receives from one. Throws ScheduleError when ranks < 1.
Schedule direct_alltoall(int ranks);

}  // namespace tributary::collective
