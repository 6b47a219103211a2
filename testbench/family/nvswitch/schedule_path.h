#pragma once
/// The critical path of a software schedule on GPUs around NVSwitches (docs/bottleneck.md#paths).

#include <vector>

#include "platforms/nvswitch/machine.h"
#include "platforms/nvswitch/platform_params.h"
#include "testbench/run/bottleneck.h"
#include "testbench/workload/sized_schedule.h"

namespace tributary {

/// Returns the time that each parameter adds to the chain of commands that ends last, transfers included, on a machine that
/// carries nothing else. Chunks move as flows. Rank i is GPU `gpus[i]`. `params` has no automatic values.
std::vector<PathPart> schedule_path(const SizedSchedule& sized, const std::vector<int>& gpus, const Machine& machine,
                                    const NvSwitchPlatformParams& params);

}  // namespace tributary
