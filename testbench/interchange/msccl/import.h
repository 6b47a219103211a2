#pragma once
/// MSCCL algorithms as schedules that simulated machines run.

#include <string>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/interchange/msccl/algorithm.h"
#include "testbench/workload/job.h"

namespace tributary::msccl {

struct ImportedSchedule {
  std::string collective;  ///< of testbench/workload/collective.h
  int root = 0;
  collective::Schedule schedule;  ///< proved
};

/// Each chunk of a step becomes operations of its own, which wait for what the step waits for. Input and output are one
/// place here, and what is received to be added once waits in its mailbox; other uses of scratch chunks go through the own
/// place of the chunk. Throws InputError, one line that begins with `path`: not proved (proof.h), a collective that does not
/// run here, a rank that needs two values of a chunk at a time.
ImportedSchedule import_schedule(const Algorithm& algorithm, const std::string& path);
/// The same of a file.
ImportedSchedule import_file(const std::string& path);

/// True for `msccl:FILE`, the algorithm of a job.
bool names_file(const std::string& algorithm);
/// Imports the file of such an algorithm. Each call reads and proves the file.
ImportedSchedule import_named(const std::string& algorithm);
/// Returns the schedule that the job carries (JobSpec::imported); without one, imports the file of its algorithm. Throws
/// InputError if the schedule is for another collective or another number of ranks.
collective::Schedule schedule_of(const JobSpec& job, std::size_t ranks);

}  // namespace tributary::msccl
