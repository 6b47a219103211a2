#pragma once

#include <string>

namespace tributary {

/// The request of `tributary export`.
struct ExportRequest {
  std::string what = "topology", machine;  ///< a topology file, or the name of a server or network
  std::string format;                      ///< `nccl`, `topo-m` or `anynet`; empty: nccl for servers, anynet for networks
  std::string out = "-";                   ///< file, or `-`: standard output
};

/// Writes a machine in the format of another program. Returns the exit code. Throws InputError.
int export_command(const ExportRequest& request);

}  // namespace tributary
