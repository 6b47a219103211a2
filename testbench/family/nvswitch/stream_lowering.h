#pragma once
/// Streams and channels as what GPUs around NVSwitches are told: peers' memory gets network addresses.

#include "testbench/family/nvswitch/lowering.h"
#include "testbench/family/nvswitch/stream_plans.h"

namespace tributary {

/// Throws FabricError.
Lowered lower_streams(const JobSpec& job, const GpuStreams& streams, FabricManager& fabric);

}  // namespace tributary
