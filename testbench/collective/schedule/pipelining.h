#pragma once
/// Schedules whose chunks are divided into slices, so that a rank takes the first slice while the last is still in flight.

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Chunk c becomes the chunks c x slices, c x slices + 1, ..., and every operation becomes `slices` operations, one after
/// another, each with its own slot. An operation on slice i waits for slice i of operations on the same chunk, and for the
/// last slice of operations on other chunks. The result must be verified anew. Throws ScheduleError when slices < 1.
Schedule pipelined(const Schedule& schedule, int slices);

/// Repeats the whole schedule `loops` times, each time with another slice of every chunk, as MSCCL's runtimes execute a
/// message that is longer than their buffers. An operation waits for the same operation of the previous loop. Chunks and
/// slots are as in pipelined(): each loop has its own, so all loops of a proved schedule are proved. Throws ScheduleError
/// when loops < 1.
Schedule looped(const Schedule& schedule, int loops);

}  // namespace tributary::collective
