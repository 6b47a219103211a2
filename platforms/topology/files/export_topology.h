#pragma once
/// Exports machines as files that other programs read; our own readers restore the same machine.

#include <string>
#include <vector>

#include "platforms/topology/network.h"
#include "platforms/topology/server.h"

namespace tributary::topology {

/// Returns the topology file of NCCL, or of RCCL if links are xGMI. Bus ids only encode positions; trunks become
/// elements <nvswitch>. `sm` is omitted if the kind of links is unknown.
std::string nccl_xml_of(const Server& server);
/// Returns the text of `nvidia-smi topo -m`, which does not show NVSwitches. Throws std::invalid_argument if GPUs
/// differ in their links to NVSwitches, as the text cannot express this.
std::string topo_matrix_of(const Server& server);
/// Returns BookSim's anynet text of a network with routers. `cycles`: [node][port] latencies, or empty for 1. Throws
/// std::invalid_argument for a torus or mesh and for parallel links, which the text cannot express.
std::string anynet_of(const Network& network, const std::vector<std::vector<int>>& cycles);

}  // namespace tributary::topology
