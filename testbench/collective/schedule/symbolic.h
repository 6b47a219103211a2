#pragma once
/// Symbolic execution of a collective: proves it right and free of deadlock under every timing, before any is simulated.

#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Proves of an all-reduce, or throws ScheduleError with rank, event and reason:
///   - every send has its receive, and every receive its send;
///   - no deadlock: no operation waits, however indirectly, for itself;
///   - no mailbox slot is overwritten, and no receive counts its slot, before the last message in it has been consumed;
///   - no two operations race for a chunk of the own buffer;
///   - at the end every chunk of every rank holds the operand of every rank exactly once (counted, so that an operand that
///     was added twice shows).
/// All orders hold by causality (dependencies and messages) alone, hence under any interleaving.
void verify_allreduce(const Schedule& schedule);
void verify_allreduce(const FusedProgram& program);

/// The same of any collective: at the end each chunk holds, wherever its flow ends, what the flow says: the operand of every
/// rank exactly once, or that of one rank alone. Of a barrier: no rank can end before every rank has begun, and no data
/// change.
void verify(const Schedule& schedule);
void verify(const FusedProgram& program);

}  // namespace tributary::collective
