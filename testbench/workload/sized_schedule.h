#pragma once
/// Software schedules for a message of a given size.

#include <cstdint>
#include <vector>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/workload/job.h"

namespace tributary {

/// A schedule with the size of each chunk in bytes; empty chunks have no operations.
struct SizedSchedule {
  collective::Schedule schedule;
  std::vector<std::uint64_t> chunk_bytes;

  /// Returns the size of a mailbox slot: the largest chunk, in whole blocks.
  std::uint64_t slot_bytes() const;
};
/// Returns the schedule for a message, without operations on empty chunks.
SizedSchedule sized(const collective::Schedule& whole, const JobSpec& job, Bytes message);

}  // namespace tributary
