#pragma once

#include <map>
#include <optional>
#include <string>

namespace tributary {

/// The request of `tributary import`.
struct ImportRequest {
  std::string what = "topology", file;
  std::string format;                             ///< `nccl`, `topo-m`, `anynet`; empty: detected from the content
  bool strict = false;                            ///< treat warnings as errors
  std::string graph;                              ///< JSON file, `-` or empty
  std::map<std::string, std::string> completion;  ///< by key of topology::FileReading
  std::optional<std::string> cycle, flit_rate;    ///< anynet: duration of a cycle, rate of a link
  std::string groups;                             ///< trace: file of process groups; empty: the one next to the trace
};

/// Reads a topology file or traces, prints a summary and, on standard error, warnings, and writes the graph. Returns the
/// exit code. Throws InputError.
int import_command(const ImportRequest& request);

}  // namespace tributary
