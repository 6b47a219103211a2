#pragma once
/// schedule_streams: software schedules as streams of commands of GPUs with copy engines
/// (docs/systems/blink.md#schedules-of-files).

#include <functional>

#include "testbench/codegen/stream_lowering.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {

/// Returns the path of a copy from one rank of a job to another.
using PathBetween = std::function<CopyPath(int from, int to)>;

/// A rank has one stream for all its sends to a peer: wait, copy, record. A message that is added has a separate mailbox.
/// Its kernel is in the stream of the send that waits for it. Without such a send, or with
/// StreamOptions::own_kernel_streams, it is in a stream for the sender of the message. A message that only overwrites a
/// chunk is copied to its final address. Commands are issued in an order in which the schedule can run, by the length of the
/// longest chain of operations before each. Only the options `queues` and `own_kernel_streams` are used.
///
/// The result is proved (stream_proof.h). Throws ScheduleError if the proof fails.
StreamPlan schedule_streams(const JobSpec& job, Bytes message, SizedSchedule sized, const PathBetween& path,
                            const StreamOptions& options);

}  // namespace tributary
