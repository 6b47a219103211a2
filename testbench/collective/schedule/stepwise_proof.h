#pragma once
/// The proof of symbolic.h for schedules too large for it.

#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Proves what verify(Schedule) proves of a collective that moves data, or throws ScheduleError. It asks for more: steps
/// order all operations (sends of a step before what takes in it, nothing waits for a later step), and chunks share no
/// mailbox slot. Then no deadlock is possible, and each chunk is proved by itself, on the orders of its own messages and of
/// its operations within each rank.
void verify_by_chunk(const Schedule& schedule);

/// verify_by_chunk() of what would take verify() long, which is proved by verify() itself.
void verify_any(const Schedule& schedule);

/// Of what it has been lowered to: proved anew unless that would take long, too.
void verify_any(const FusedProgram& program);

}  // namespace tributary::collective
