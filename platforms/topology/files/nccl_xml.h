#pragma once
/// Reads topology files of NCCL and RCCL (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE).

#include "platforms/topology/files/topology_text.h"
#include "platforms/topology/server.h"

namespace tributary::topology {

/// Returns the server that an XML text describes; `path` is its name and the prefix of errors. Supports versions 1
/// (NCCL) and 2 (RCCL), and the elements system, cpu, pci, gpu, nvlink, xgmi, c2c, nic, net
/// (docs/topology_files.md#nccl-xml). Throws std::invalid_argument, `PATH:LINE: what (legal: ...)`.
Server nccl_xml_server(const std::string& bytes, const std::string& path);

}  // namespace tributary::topology
