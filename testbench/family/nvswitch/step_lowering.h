#pragma once
/// A step of several collectives as one program for each GPU.

#include "testbench/family/nvswitch/lowering.h"

namespace tributary {

/// Of stages: the whole buffer is one multicast region, of which each operation takes a range; the start barriers of pull lie
/// in a second one. Of software: lower_step_schedules(). Throws FabricError, ScheduleError.
Lowered lower_step(const JobSpec& job, const NvSwitchPlatformParams& params, FabricManager& fabric);

/// Whether lower_step() has its method: all but streams and channels.
bool has_steps(const JobSpec& job);

}  // namespace tributary
