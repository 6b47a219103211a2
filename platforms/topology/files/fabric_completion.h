#pragma once
/// Completes NVSwitch data that files omit: links between boards, and switches that represent several.

#include <string>
#include <vector>

#include "platforms/topology/switch_planes.h"

namespace tributary::topology {

/// Completes `machine` in place and returns one line per assumption.
/// Two groups of GPUs with separate switches, equal in number and links, and no trunk anywhere: NCCL files never list
/// trunks, so the groups are assumed to be the two boards of a DGX-2. Their i-th switches are joined by as many links as
/// each has to its GPUs.
/// A switch without trunks that has more links than ports: replaced by the smallest sufficient number of parallel
/// switches, `NAME_0` ..., each with its share of the links of every GPU.
/// Everything else is left for switch_planes() to refuse.
std::vector<std::string> complete(SwitchLinks& machine);

}  // namespace tributary::topology
