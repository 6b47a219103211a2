#pragma once
/// The proof of symbolic.h for schedules too large for it.

#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Proves the same properties as verify(Schedule) for a collective that moves data, or throws ScheduleError. It requires
/// more: steps order all operations (the sends of a step come before the operations that take a message in it, and nothing
/// waits for a later step), and chunks share no mailbox slot. Then no deadlock is possible, and each chunk is proved
/// separately, on the order of its own messages and of its operations within each rank.
void verify_by_chunk(const Schedule& schedule);

/// Proves a schedule by holds_by_symmetry() if its ranks have programs of equal form, else by verify(), or by
/// verify_by_chunk() if verify() would take long.
void verify_any(const Schedule& schedule);

/// Proves a lowered program by verify(), unless that would take long.
void verify_any(const FusedProgram& program);

}  // namespace tributary::collective
