#pragma once
/// Servers that files describe (docs/topology_files.md).

#include "platforms/topology/server.h"

namespace tributary::topology {

/// Of a name for which names_server_file() holds. Errors as server() has them.
Server server_from_file(const std::string& name);

/// The PCIe tree of `tree`, whose file has no links between GPUs, and the links of `matrix`: GPU i of the one is GPU i of
/// the other. `name` is what the server is called. Throws std::invalid_argument, one line.
Server joined_servers(Server tree, const Server& matrix, const std::string& name);

}  // namespace tributary::topology
