#pragma once
/// Trees for GPUs of a server that NVLinks do not all join: NVLinks within islands, PCIe between them (Wang et al., MLSys
/// 2020, 3.1 and A.3).

#include <vector>

#include "platforms/blink/server_wires.h"
#include "testbench/collective/packing/shared_packing.h"

namespace tributary {

/// Returns the island of each GPU (topology/nvlink_islands.h), numbered by the first GPU of each in the list. GPUs that only
/// other GPUs of their island would join are islands of their own: no copy passes a GPU outside of the job. `gpus`: numbers
/// of GPUs of one server in the graph.
std::vector<int> islands_of(const topology::ServerGraph& servers, const std::vector<int>& gpus);

/// Returns the links that copies between the GPUs cross: those of NVLink between GPUs that NVLinks join, and those of PCIe
/// between islands. Times are in ns for a byte of payload.
collective::SharedGraph shared_links(const ServerWires& wires, const std::vector<int>& gpus,
                                     const std::vector<int>& islands);

}  // namespace tributary
