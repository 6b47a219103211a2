#pragma once
/// The two DGX-1 machines: 8 GPUs in two quads, each a complete graph, and four pairs that connect the quads
/// (docs/systems/blink.md#machines). Two sockets with two PCIe switches each; a switch has two GPUs and a NIC.

#include "platforms/topology/server.h"

namespace tributary::topology {

/// P100, 4 NVLinks per GPU: one link for each of 16 pairs.
Server dgx1p();
/// V100, 6 NVLinks a GPU: the same pairs, 8 of them with two links.
Server dgx1v();

}  // namespace tributary::topology
