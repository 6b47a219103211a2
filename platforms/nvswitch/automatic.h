#pragma once
/// Shared by the test benches of NVSwitch machines: automatic parameter values, and the GPU program of a push
/// all-reduce.

#include <vector>

#include "modules/gpu/core/gpu_program.h"
#include "platforms/nvswitch/machine.h"
#include "platforms/nvswitch/platform_params.h"

namespace tributary {

/// Location at which an operation reduces its operands.
enum class Reduces : std::uint8_t {
  in_gpus,        ///< or the operation does not reduce
  at_home_ports,  ///< push: in the reduction tables of the blocks' home ports
  in_flight,      ///< pull: in the reduction tables of the switches that the responses pass
};

/// Resolves all automatic values: tables and waves as in the paper's figures (docs/systems/klenk.md#figures), the
/// largest that one of `operations` needs, and buffers that cover a round trip.
NvSwitchPlatformParams with_automatic_values(NvSwitchPlatformParams params, const MachineDefaults& defaults,
                                             const std::vector<Reduces>& operations);

/// Returns a member's program for a push all-reduce over a multicast region.
GpuProgram push_all_reduce(const BlockRange& region, unsigned members, const NvSwitchPlatformParams& params);

}  // namespace tributary
