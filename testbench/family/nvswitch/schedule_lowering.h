#pragma once
/// Software schedules as command lists of GPUs.

#include "testbench/collective/schedule/schedule.h"
#include "testbench/family/nvswitch/lowering.h"

namespace tributary {

/// Mailboxes hold what is reduced; what only overwrites a chunk is written to its place. Throws FabricError, ScheduleError.
Lowered lower_schedule(const JobSpec& job, Bytes message, FabricManager& fabric);

/// The part of a message that is one chunk of a software schedule, in bytes; empty chunks have no operations.
struct SizedSchedule {
  collective::Schedule schedule;
  std::vector<std::uint64_t> chunk_bytes;

  /// What a mailbox slot must hold: the largest chunk, in whole blocks.
  std::uint64_t slot_bytes() const;
};
/// That schedule for a message; what is empty is left out.
SizedSchedule sized(const collective::Schedule& whole, const JobSpec& job, Bytes message);
/// Whether the algorithm is a schedule, for the GPUs' command executors.
bool is_schedule(const JobSpec& job);
/// Not yet proved. Throws SetupError when the machine cannot carry the algorithm, or not on these GPUs.
SizedSchedule schedule_of(const JobSpec& job, Bytes message, const Machine& machine);

}  // namespace tributary
