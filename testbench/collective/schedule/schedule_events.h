#pragma once
/// Converts schedules and fused programs to events for the proofs of symbolic.h, and checks their form.

#include <vector>

#include "testbench/collective/schedule/event_graph.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Throw ScheduleError on a peer, chunk or slot that does not exist, an id used twice, or a dependency on an unknown id.
std::vector<Event> events_of(const Schedule& schedule);
std::vector<Event> events_of(const FusedProgram& program);

}  // namespace tributary::collective
