#pragma once

#include <string>

namespace tributary {

/// The request of `tributary export`.
struct ExportRequest {
  std::string what = "topology";  ///< or `pins`
  std::string machine;            ///< a topology file, or the name of a server, network or block
  std::string format;             ///< `nccl`, `topo-m` or `anynet`; pins: `sv`, `cpp` or `markdown`; empty: the default
  std::string out = "-";          ///< file, or `-`: standard output
};

/// Writes a machine in the format of another program, or the pins of a block. Returns the exit code. Throws InputError.
int export_command(const ExportRequest& request);

}  // namespace tributary
