#pragma once

#include <string>

namespace tributary {

/// What `tributary export` was asked for.
struct ExportRequest {
  std::string what = "topology", machine;  ///< a topology file, or the name of a server or network
  std::string format;                      ///< `nccl`, `topo-m` or `anynet`; empty: nccl of servers, anynet of networks
  std::string out = "-";                   ///< file, or `-`: standard output
};

/// Writes a machine in the form of another program; returns the exit code. Throws InputError.
int export_command(const ExportRequest& request);

}  // namespace tributary
