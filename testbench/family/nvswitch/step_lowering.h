#pragma once
/// Lowers a step of several collectives to one program for each GPU.

#include "testbench/family/nvswitch/lowering.h"

namespace tributary {

/// Stages: all parts of a group are one multicast region, of which each operation uses a range; a second region holds the
/// start barriers of pull. Software: lower_step_schedules(). Throws FabricError, ScheduleError.
Lowered lower_step(const JobSpec& job, const NvSwitchPlatformParams& params, FabricManager& fabric);

/// Returns true if lower_step() supports the algorithm of an operation: all but streams, channels and barriers.
bool has_steps(const JobSpec& operation);
/// Returns true for stages, false for commands of software; a program consists of one kind.
bool runs_in_stages(const JobSpec& operation);

}  // namespace tributary
