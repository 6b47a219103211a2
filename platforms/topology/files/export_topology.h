#pragma once
/// Machines as files that other programs read, and our readers read back as the same.

#include <string>
#include <vector>

#include "platforms/topology/network.h"
#include "platforms/topology/server.h"

namespace tributary::topology {

/// Topology file of NCCL, or of RCCL where links are xGMI. Bus ids stand for places alone; trunks become elements <nvswitch>.
/// Of a server whose links' kind is not known sm is left out.
std::string nccl_xml_of(const Server& server);
/// Text of nvidia-smi topo -m; NVSwitches are not shown, as they are not there. Throws std::invalid_argument where GPUs differ
/// in their links to NVSwitches, which such a text cannot tell.
std::string topo_matrix_of(const Server& server);
/// BookSim's anynet of a network with routers; `cycles` [node][port] of its links, or empty: 1. Throws std::invalid_argument
/// for a torus or mesh with parallel links, which such a text cannot tell.
std::string anynet_of(const Network& network, const std::vector<std::vector<int>>& cycles);

}  // namespace tributary::topology
