#pragma once
/// Schedules whose chunks are cut further, so that a rank takes the first piece while the last is still on its way.

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Chunk c becomes the chunks c x pieces ..., and every operation as many, one after another, each with a slot of its own.
/// A piece waits for the same piece of its chunk's operations, and for the last piece of operations on other chunks. The
/// result is to be verified anew. Throws ScheduleError when pieces < 1.
Schedule pipelined(const Schedule& schedule, int pieces);

/// The whole schedule `loops` times, each time with another piece of every chunk, as MSCCL's runtimes carry out a message
/// that is longer than their buffers. An operation waits for the same one of the loop before. Chunks and slots as
/// pipelined(): each loop has its own, so that of a proved schedule all loops are proved. Throws ScheduleError when loops
/// < 1.
Schedule looped(const Schedule& schedule, int loops);

}  // namespace tributary::collective
