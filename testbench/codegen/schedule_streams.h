#pragma once
/// Software schedules as streams of commands of GPUs with copy engines (docs/systems/blink.md#schedules-of-files).

#include <functional>

#include "testbench/codegen/stream_lowering.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {

/// How a copy goes from one rank of a job to another.
using PathBetween = std::function<CopyPath(int from, int to)>;

/// A stream of a rank takes all that it sends to one peer: wait, copy, record. A message that is added has a mailbox of its
/// own, and its kernel stands in the stream of the send that waits for it; with StreamOptions::own_kernel_streams, or
/// without such a send, in one for that peer. A message that only overwrites a chunk is copied to its place. Commands are
/// issued in an order in which the schedule may run, by the longest chain of operations before each. Of the options `queues`
/// and `own_kernel_streams` count.
///
/// What `sized` becomes is proved (stream_proof.h). Throws ScheduleError where it cannot be.
StreamPlan schedule_streams(const JobSpec& job, Bytes message, SizedSchedule sized, const PathBetween& path,
                            const StreamOptions& options);

}  // namespace tributary
