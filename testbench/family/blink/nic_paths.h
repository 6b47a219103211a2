#pragma once
/// Paths of NCCL's ring through one of several servers: from the GPU that receives from the NIC to the one that sends to it.

#include <vector>

#include "platforms/topology/allocation.h"

namespace tributary {

/// Returns the least number of links of a GPU to an NVSwitch that joins them all; 0 if there is none.
int links_of_switch(const topology::Server& server, const std::vector<int>& gpus);

/// The distance of a GPU from a NIC as NCCL counts it: 4 for one PCIe switch, 3 for several switches, 2 past the processor,
/// 1 past both processors, and for a server without NICs.
int nearness(const topology::Server& server, int gpu, std::size_t nic = 0);

/// Returns which of the first `nics` NICs are nearest to GPUs, ascending. A GPU has the first of equally near NICs, but the
/// i-th GPU of a PCIe switch the i-th of its NICs. At least NIC 0 is returned.
std::vector<std::size_t> nearest_nics(const topology::Server& server, const std::vector<int>& gpus, std::uint32_t nics);

/// Returns the places in `gpus` along a path of NVLinks over all of them; empty if there is none. The path begins at the
/// first GPU that is nearest to the NIC, number `turn` of nearest_nics(). With several NICs around NVSwitches it goes on in
/// the order of the GPUs, so that each GPU ends one path and each NIC sends for it. Otherwise it ends at the last other GPU
/// that is as near as a limit, which is lowered from 4 to 1 until there is a path. Any order is a path through NVSwitches.
/// Throws TopologyError.
std::vector<int> nic_path(const topology::Server& server, const std::vector<int>& gpus, std::uint32_t nics = 1,
                          std::size_t turn = 0);

}  // namespace tributary
