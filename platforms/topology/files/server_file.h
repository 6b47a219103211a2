#pragma once
/// Builds servers from files (docs/topology_files.md).

#include "platforms/topology/server.h"

namespace tributary::topology {

/// Reads the server of a name that satisfies names_server_file(). Throws as server() does.
Server server_from_file(const std::string& name);

/// Combines the PCIe tree of `tree`, whose file has no links between GPUs, with the links of `matrix`; GPU i is the
/// same in both. `name` becomes the server's name. Throws std::invalid_argument (one line).
Server joined_servers(Server tree, const Server& matrix, const std::string& name);

}  // namespace tributary::topology
