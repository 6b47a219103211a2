#pragma once
/// Lowers streams and channels to programs of GPUs around NVSwitches: the memory of peers gets network addresses. Throws
/// FabricError.

#include "testbench/family/nvswitch/lowering.h"
#include "testbench/family/nvswitch/stream_plans.h"

namespace tributary {

/// Throws FabricError.
Lowered lower_streams(const JobSpec& job, const GpuStreams& streams, FabricManager& fabric);

}  // namespace tributary
