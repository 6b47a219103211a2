#pragma once
/// The algorithms of channels (docs/blocks/nccl_channels.md).

#include <vector>

#include "modules/streams/nccl_params.h"
#include "testbench/run/family.h"
#include "testbench/run/run_spec.h"
#include "testbench/workload/job.h"

namespace tributary {

const std::vector<Algorithm>& channel_algorithms();
/// True if channels carry the job.
bool has_channels(const JobSpec& job);
/// Returns a time that no step between two GPUs falls below, over the messages of the run that channels carry; `never`
/// without any.
Tick shortest_step(const RunSpec& spec, const NcclParams& nccl);

}  // namespace tributary
