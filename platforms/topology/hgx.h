#pragma once
/// Servers of 8 GPUs at NVSwitches with NICs: DGX A100 and DGX H100 (NVIDIA's user guides of both).

#include "platforms/topology/server.h"

namespace tributary::topology {

/// 12 NVLinks of a GPU as 2 to each of 6 NVSwitches. Each socket has two PCIe switches of generation 4, each with two GPUs
/// and two NICs of 200 Gb/s.
Server a100();
/// 18 NVLinks of a GPU as 5, 5, 4 and 4 to 4 NVSwitches. Each socket has four PCIe switches of generation 5, each with one
/// GPU and one NIC of 400 Gb/s.
Server h100();

}  // namespace tributary::topology
