#pragma once
/// Lowers an all-reduce to the thread blocks of NVLS, and registers the regions of their slots and flags.

#include "testbench/family/nvswitch/lowering.h"

namespace tributary {

/// Throws FabricError, ScheduleError.
Lowered lower_nvls(const LowerInput& in);

}  // namespace tributary
