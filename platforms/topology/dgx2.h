#pragma once
/// The NVSwitch network of a DGX-2 (docs/systems/klenk.md#dgx-2).

#include "platforms/topology/graph.h"

namespace tributary::topology {

/// 16 GPUs (nodes 0 to 15, `gpu0` ...) on 2 boards, 12 switches of 16 ports (`switch0_0` ... `switch1_5`: board, plane) in
/// 6 disjoint planes; 96 access links, 48 trunks.
Graph dgx2();

}  // namespace tributary::topology
