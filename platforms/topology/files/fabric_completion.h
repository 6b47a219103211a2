#pragma once
/// What files do not say of NVSwitches, completed: the links between boards, and switches that stand for several.

#include <string>
#include <vector>

#include "platforms/topology/switch_planes.h"

namespace tributary::topology {

/// A line for each thing that is assumed; the machine itself is changed:
/// Two groups of GPUs, each with switches of its own, in equal numbers and with as many links, and no trunk anywhere: no file
/// of NCCL lists trunks, so these are the boards of a DGX-2, whose i-th switches are joined by as many links as lead from each
/// of them to its GPUs.
/// A switch without trunks and with more links than a switch has ports: the fewest switches that are enough, `NAME_0` ...,
/// side by side, each with its share of the links of every GPU.
/// All else is left, for switch_planes() to refuse.
std::vector<std::string> complete(SwitchLinks& machine);

}  // namespace tributary::topology
