#pragma once
/// The software ring: the baseline of the in-network algorithms (Klenk III, V).

#include "testbench/collective/schedule/rank_programs.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Reduce-scatter, then all-gather, in 2(p-1) steps: in each step every rank sends one of p chunks to the next rank.
/// Mailbox slots rotate over p: the smallest number for which no slot is overwritten before it has been read, without
/// acknowledgements by the reader. Throws ScheduleError when ranks < 1.
Schedule ring_allreduce(int ranks);

/// The two halves of ring_allreduce(), p-1 steps each. Chunk r is the slice of rank r: of the sum, or of the gathered data.
Schedule ring_reduce_scatter(int ranks);
Schedule ring_allgather(int ranks);

/// Make the programs of these schedules one rank at a time.
RankPrograms ring_allreduce_programs(int ranks);
RankPrograms ring_reduce_scatter_programs(int ranks);
RankPrograms ring_allgather_programs(int ranks);

/// One chunk travels along the ring from rank 0 to the last rank.
Schedule ring_broadcast(int ranks);
/// The chunk of rank 1 travels along the ring and becomes the sum of all chunks at rank 0.
Schedule ring_reduce(int ranks);

}  // namespace tributary::collective
