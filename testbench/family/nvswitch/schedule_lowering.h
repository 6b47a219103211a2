#pragma once
/// Software schedules as command lists of GPUs.

#include <functional>

#include "testbench/family/nvswitch/lowering.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {

/// Proves the schedule first. Mailboxes hold what is reduced; what only overwrites a chunk is written to its place. Throws
/// FabricError, ScheduleError.
Lowered lower_schedule(const JobSpec& job, Bytes message, SizedSchedule schedule, FabricManager& fabric);

/// The operations of job.step, each by the schedule for its group and bytes, in one program of each GPU: messages are parts
/// of one buffer, and each operation has mailboxes and slots of its own, so a peer may be ahead. Throws as lower_schedule().
Lowered lower_step_schedules(const JobSpec& job,
                             const std::function<SizedSchedule(const JobSpec& operation, Bytes message)>& schedule,
                             FabricManager& fabric);

}  // namespace tributary
