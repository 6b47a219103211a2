#pragma once
/// Servers of GPUs with NICs: DGX A100, H100, H200 and B200 (NVIDIA's user guides), GB200 NVL4 and GB200 NVL72.

#include "platforms/topology/server.h"

namespace tributary::topology {

/// 12 NVLinks of a GPU as 2 to each of 6 NVSwitches. Each socket has two PCIe switches of generation 4, each with two GPUs
/// and two NICs of 200 Gb/s.
Server a100();
/// 18 NVLinks of a GPU as 5, 5, 4 and 4 to 4 NVSwitches. Each socket has four PCIe switches of generation 5, each with one
/// GPU and one NIC of 400 Gb/s.
Server h100();
/// A DGX H200 is a DGX H100 whose GPUs have a faster memory.
Server h200();
/// 18 NVLinks of 50 GB/s of a GPU as 9 and 9 to 2 NVSwitches of 72 ports. PCIe switches and NICs as in a DGX H100.
Server b200();
/// 4 GPUs without NVSwitches, 6 NVLinks of 50 GB/s between two of them. Each of two processors has two GPUs, over NVLink-C2C
/// of 450 GB/s in each direction, and two NICs of 400 Gb/s.
Server gb200();
/// 72 GPUs in 18 trays as in gb200(), but each of the 18 NVLinks of a GPU leads to another of 18 NVSwitches of 72 ports, two
/// in each of 9 trays.
Server nvl72();

}  // namespace tributary::topology
