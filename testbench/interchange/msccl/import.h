#pragma once
/// MSCCL algorithms as schedules that simulated machines run.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/interchange/msccl/algorithm.h"
#include "testbench/workload/job.h"

namespace tributary::msccl {

struct ImportedSchedule {
  std::string collective;  ///< name in testbench/workload/collective.h
  int root = 0;
  collective::Schedule schedule;  ///< proved
  std::string protocol;
  std::uint64_t min_bytes = 0, max_bytes = 0;  ///< range of message sizes; max_bytes 0: unlimited
};

/// Returns the attributes of the file that a message of this size does not follow, one line each: a protocol with flags in
/// the data, and a size outside `minBytes` to `maxBytes`.
std::vector<std::string> without_effect(const ImportedSchedule& file, Bytes size);

/// Each chunk of a step becomes operations of its own, with the dependencies of the step. Input and output are one place in
/// the schedule. A chunk that is received and added once waits in its mailbox; other uses of scratch chunks go through the
/// own place of the chunk. Throws InputError, one line that begins with `path`: the algorithm is not proved (proof.h), the
/// simulator does not run the collective, or a rank requires two values of a chunk simultaneously.
ImportedSchedule import_schedule(const Algorithm& algorithm, const std::string& path);
/// Reads and imports a file.
ImportedSchedule import_file(const std::string& path);

/// True for `msccl:FILE`, the algorithm of a job.
bool names_file(const std::string& algorithm);
/// Imports the file of such an algorithm. Each call reads and proves the file.
ImportedSchedule import_named(const std::string& algorithm);
/// Returns the schedule that the job carries (JobSpec::imported); without one, imports the file of its algorithm. Throws
/// InputError if the schedule is for another collective or another number of ranks.
collective::Schedule schedule_of(const JobSpec& job, std::size_t ranks);

}  // namespace tributary::msccl
