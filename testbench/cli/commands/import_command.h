#pragma once

#include <map>
#include <optional>
#include <string>

namespace tributary {

/// What `tributary import` was asked for.
struct ImportRequest {
  std::string what = "topology", file;
  std::string format;                             ///< `nccl`, `topo-m`, `anynet`; empty: told by the content
  bool strict = false;                            ///< warnings are errors
  std::string graph;                              ///< JSON: file, `-` or empty
  std::map<std::string, std::string> completion;  ///< by key of topology::FileReading
  std::optional<std::string> cycle, flit_rate;    ///< of anynet: a time, a rate
};

/// Reads a topology file or traces, prints what these hold, its warnings to standard error, and writes its graph; returns
/// the exit code. Throws InputError.
int import_command(const ImportRequest& request);

}  // namespace tributary
