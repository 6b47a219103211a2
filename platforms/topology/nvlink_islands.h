#pragma once
/// Islands: the GPUs of a server that NVLinks join, directly or through NVSwitches.

#include <string>
#include <vector>

#include "platforms/topology/server.h"

namespace tributary::topology {

/// Returns the number of the island of each GPU; islands are numbered by their first GPU. A GPU without NVLinks is an island
/// of its own. Boards of NVSwitches that complete() joins (fabric_completion.h) are one island.
std::vector<int> nvlink_islands(const Server& server);

/// Returns the number of NVLinks of each GPU to NVSwitches. Throws TopologyError (one line) if a GPU has links to GPUs, too.
std::vector<int> links_to_switches(const Server& server);

/// Returns the reason why the model of NVSwitches does not carry out a server with NVSwitches, a clause; empty if it does:
/// all GPUs are one island and have equal numbers of links.
std::string unequal_links(const Server& server);

}  // namespace tributary::topology
