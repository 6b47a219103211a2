#pragma once
/// A step of several collectives as one program for each GPU.

#include "testbench/family/nvswitch/lowering.h"

namespace tributary {

/// Of stages: all parts of a group are one multicast region, of which each operation takes a range; the start barriers of
/// pull lie in a second one. Of software: lower_step_schedules(). Throws FabricError, ScheduleError.
Lowered lower_step(const JobSpec& job, const NvSwitchPlatformParams& params, FabricManager& fabric);

/// Whether lower_step() has the method of an operation: all but streams and channels, and barriers.
bool has_steps(const JobSpec& operation);
/// Else by commands of software: a program has either.
bool runs_in_stages(const JobSpec& operation);

}  // namespace tributary
