#pragma once
/// Software schedules as command lists of GPUs.

#include "testbench/family/nvswitch/lowering.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {

/// Proves the schedule first. Mailboxes hold what is reduced; what only overwrites a chunk is written to its place. Throws
/// FabricError, ScheduleError.
Lowered lower_schedule(const JobSpec& job, Bytes message, SizedSchedule schedule, FabricManager& fabric);

}  // namespace tributary
