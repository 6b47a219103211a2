#pragma once
/// The two DGX-1: 8 GPUs in two quads, each quad a complete graph, and four pairs that join the quads
/// (docs/systems/blink.md#machines). Two sockets, two PCIe switches on each; a switch has two GPUs and a NIC.

#include "platforms/topology/server.h"

namespace tributary::topology {

/// P100, 4 NVLinks a GPU: one link for each of 16 pairs.
Server dgx1p();
/// V100, 6 NVLinks a GPU: the same pairs, 8 of them with two links.
Server dgx1v();

}  // namespace tributary::topology
