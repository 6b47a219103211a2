#pragma once
/// Builds servers from files (docs/topology_files.md).

#include "platforms/topology/server.h"

namespace tributary::topology {

/// True for a name `nccl_xml:FILE` or `topo_m:FILE`; no file is read.
bool has_server_format(const std::string& name);

/// Reads the server of a name that satisfies has_server_format(). Throws as server() does.
Server server_from_file(const std::string& name);

/// Combines the PCIe tree of `tree`, whose file has no links between GPUs, with the links of `matrix`; GPU i is the
/// same in both. `name` becomes the server's name. Throws std::invalid_argument (one line).
Server joined_servers(Server tree, const Server& matrix, const std::string& name);

}  // namespace tributary::topology
