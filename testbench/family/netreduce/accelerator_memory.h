#pragma once
/// Whether the rings of all jobs fit into accelerators.

#include "platforms/netreduce/platform_params.h"
#include "platforms/topology/racks.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// SetupError unless each accelerator of the machine has the memory (netreduce.accelerator.memory) for all rings there.
void check_accelerator_memory(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine);

}  // namespace tributary
