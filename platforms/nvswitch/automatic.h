#pragma once
/// What a test bench of NVSwitch machines begins with: parameters without automatic values, and what GPUs are told to do.

#include <vector>

#include "modules/gpu/core/gpu_program.h"
#include "platforms/nvswitch/machine.h"
#include "platforms/nvswitch/platform_params.h"

namespace tributary {

/// Where operands meet.
enum class Reduces : std::uint8_t {
  in_gpus,        ///< or nowhere
  at_home_ports,  ///< push: in the tables of the blocks' home ports
  on_the_way,     ///< pull: in the tables of the switches that the answers pass
};

/// The parameters with no automatic values left: tables and waves as in the paper's figures (docs/systems/klenk.md#figures),
/// of several operations the largest that one of them asks for; buffers for a round trip.
NvSwitchPlatformParams with_automatic_values(NvSwitchPlatformParams params, const MachineDefaults& defaults,
                                             const std::vector<Reduces>& operations);

/// An all-reduce by push over a multicast region, as each of its members does it.
GpuProgram push_all_reduce(const BlockRange& region, unsigned members, const NvSwitchPlatformParams& params);

}  // namespace tributary
