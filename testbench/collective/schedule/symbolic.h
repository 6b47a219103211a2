#pragma once
/// Symbolic execution of a collective: proves that it is correct and free of deadlock under every timing, before
/// simulation.

#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Proves the following properties of an all-reduce, or throws ScheduleError with rank, event and reason:
///   - every send has its receive, and every receive its send;
///   - no deadlock: no operation waits for itself, directly or indirectly;
///   - no mailbox slot is overwritten, and no receive counts its slot, before its last message has been consumed;
///   - no two operations race for a chunk of the own buffer;
///   - at the end every chunk of every rank holds the operand of every rank exactly once (counted, so that an operand
///     added twice is detected).
/// All orders follow from causality (dependencies and messages) alone, hence hold under any interleaving.
void verify_allreduce(const Schedule& schedule);
void verify_allreduce(const FusedProgram& program);

/// Proves the same properties of any collective: at the end each rank that a chunk's goal names holds the value of the goal:
/// the operand of every rank exactly once, or the operand of one rank. For a barrier: no rank can end before every rank has
/// begun, and no data change.
void verify(const Schedule& schedule);
void verify(const FusedProgram& program);

}  // namespace tributary::collective
