#pragma once
/// The software ring: the baseline that the in-network methods must beat (Klenk III, V).

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Reduce-scatter, then all-gather: 2(p-1) steps, in each of which every rank sends one of p chunks to the next rank.
/// Mailbox slots rotate over p: the fewest with which no slot is overwritten before it has been read, without any
/// acknowledgement by the reader. Throws ScheduleError when ranks < 1.
Schedule ring_allreduce(int ranks);

/// Its halves, p-1 steps each: chunk r is rank r's part, of the sum or of what is gathered.
Schedule ring_reduce_scatter(int ranks);
Schedule ring_allgather(int ranks);

/// One chunk goes along the ring from rank 0, and ends at the last rank.
Schedule ring_broadcast(int ranks);
/// The chunk of rank 1 goes along the ring and becomes the sum of all at rank 0.
Schedule ring_reduce(int ranks);

}  // namespace tributary::collective
