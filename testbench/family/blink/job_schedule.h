#pragma once
/// Jobs whose schedule comes from a file, for GPUs with copy engines (docs/schedules.md#msccl-files).

#include "modules/base/units.h"
#include "platforms/blink/server_wires.h"
#include "testbench/codegen/schedule_streams.h"

namespace tributary {

/// Whether the job names a file of MSCCL.
bool has_schedule(const JobSpec& job);
/// Whether trees carry it out: neither a schedule of a file nor channels.
bool has_trees(const JobSpec& job);

/// Where chunks of the file are longer than options.chunk, it is carried out several times, each time with another piece of
/// each chunk (collective::looped). Copies go over NVLinks, of GPUs without any over PCIe, to other servers over the
/// network. Throws InputError as msccl::named_schedule(), ScheduleError as schedule_streams(), and when the file has, or
/// the message falls into, more than 10 000 chunks.
StreamPlan plan_of_schedule(const JobSpec& job, Bytes message, const ServerWires& wires, const StreamOptions& options);

}  // namespace tributary
