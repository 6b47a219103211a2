#pragma once
/// Direct collectives: every slice goes straight from the rank that holds it to the rank that needs it.

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Chunk r is the slice of rank r; all slices go to the root. Throws ScheduleError if ranks < 1 or the root is not a rank.
Schedule direct_gather(int ranks, int root);

/// Chunk i x ranks + j goes from rank i to rank j; chunk i x ranks + i stays. In step s rank r sends to r + s and receives
/// from r - s, so every rank sends to one rank and receives from one rank at a time. Throws ScheduleError when ranks < 1.
Schedule direct_alltoall(int ranks);

/// Chunk r goes from rank r to the next, and from the last to the first; it stays if there is one rank. Throws ScheduleError
/// when ranks < 1.
Schedule direct_sendrecv(int ranks);

}  // namespace tributary::collective
