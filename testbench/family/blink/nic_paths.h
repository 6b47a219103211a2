#pragma once
/// Paths of NCCL's ring through one of several servers: from the GPU that receives from the NIC to the one that sends to it.

#include <vector>

#include "platforms/topology/allocation.h"

namespace tributary {

/// Returns the least number of links of a GPU to an NVSwitch that joins them all; 0 if there is none.
int links_of_switch(const topology::Server& server, const std::vector<int>& gpus);

/// The distance of a GPU from the server's first NIC as NCCL counts it: 4 for one PCIe switch, 3 for several switches, 2
/// past the processor, 1 past both processors.
int nearness(const topology::Server& server, int gpu);

/// Returns the places in `gpus` along a path of NVLinks over all of them; empty if there is none. The path begins at the
/// first GPU that is nearest to the NIC. It ends at the last other GPU that is as near as a limit, which is lowered from 4
/// to 1 until there is a path. Any order is a path through NVSwitches. Throws TopologyError.
std::vector<int> nic_path(const topology::Server& server, const std::vector<int>& gpus);

}  // namespace tributary
