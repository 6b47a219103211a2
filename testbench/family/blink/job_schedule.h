#pragma once
/// Jobs whose schedule is in a file, as commands of GPUs with copy engines (docs/schedules.md#msccl-files).

#include "modules/base/units.h"
#include "platforms/blink/server_wires.h"
#include "testbench/codegen/schedule_streams.h"

namespace tributary {

/// True if the job names an MSCCL file.
bool has_schedule(const JobSpec& job);
/// True if trees carry the job: it has neither an MSCCL file nor channels.
bool has_trees(const JobSpec& job);

/// Returns the proved plan. If chunks of the file are longer than options.chunk, the schedule runs several times, each time
/// with another slice of each chunk (collective::looped). A copy crosses the NVLinks of its pair of GPUs, PCIe if the pair
/// has none, and the network to another server. Throws InputError as msccl::schedule_of() does, and ScheduleError as
/// schedule_streams() does and when the file or the cut message has more than 10 000 chunks.
StreamPlan plan_of_schedule(const JobSpec& job, Bytes message, const ServerWires& wires, const StreamOptions& options);

}  // namespace tributary
