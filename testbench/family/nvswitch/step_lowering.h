#pragma once
/// A step of several collectives as one program for each GPU.

#include "testbench/family/nvswitch/lowering.h"

namespace tributary {

/// The whole buffer is one multicast region, of which each operation takes a range; the start barriers of pull lie in a
/// second one. Throws FabricError.
Lowered lower_step(const JobSpec& job, const NvSwitchPlatformParams& params, FabricManager& fabric);

/// Whether lower_step() has its method: those of stages, without mailboxes and streams.
bool has_steps(const JobSpec& job);

}  // namespace tributary
