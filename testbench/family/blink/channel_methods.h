#pragma once
/// The methods of channels (docs/blocks/nccl_channels.md).

#include <vector>

#include "testbench/run/family.h"
#include "testbench/workload/job.h"

namespace tributary {

const std::vector<Method>& channel_methods();
/// Whether channels carry it out.
bool has_channels(const JobSpec& job);

}  // namespace tributary
