#pragma once
/// Lowers software schedules to command lists of GPUs.

#include <functional>

#include "testbench/family/nvswitch/lowering.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {

/// Proves the schedule first. Chunks that are reduced go to mailboxes; chunks that only overwrite go to their final place.
/// Throws FabricError, ScheduleError.
Lowered lower_schedule(const JobSpec& job, Bytes message, SizedSchedule schedule, FabricManager& fabric);

/// Lowers the operations of job.step, each by the schedule for its group and bytes, to one program of each GPU. Messages are
/// parts of one buffer, and each operation has its own mailboxes and slots, so a peer may be ahead. Throws as
/// lower_schedule().
Lowered lower_step_schedules(const JobSpec& job,
                             const std::function<SizedSchedule(const JobSpec& operation, Bytes message)>& schedule,
                             FabricManager& fabric);

}  // namespace tributary
