#pragma once
/// Checks that the rings of all jobs fit into the accelerators.

#include "platforms/netreduce/platform_params.h"
#include "platforms/topology/racks.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the number of rings of all jobs.
unsigned rings_of(const RunSpec& spec, const topology::Racks& machine);

/// Throws SetupError unless each accelerator of the machine has enough memory (netreduce.accelerator.memory) for all its
/// rings.
void check_accelerator_memory(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine);

/// Throws SetupError if a FIFO or queue of an accelerator is too small for a frame, or for the frames that still arrive
/// after a pause.
void check_accelerator_buffers(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine);

}  // namespace tributary
