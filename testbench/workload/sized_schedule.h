#pragma once
/// Software schedules for a message of a certain size.

#include <cstdint>
#include <vector>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/workload/job.h"

namespace tributary {

/// The part of a message that is one chunk of a software schedule, in bytes; empty chunks have no operations.
struct SizedSchedule {
  collective::Schedule schedule;
  std::vector<std::uint64_t> chunk_bytes;

  /// What a mailbox slot must hold: the largest chunk, in whole blocks.
  std::uint64_t slot_bytes() const;
};
/// That schedule for a message; what is empty is left out.
SizedSchedule sized(const collective::Schedule& whole, const JobSpec& job, Bytes message);

}  // namespace tributary
