#pragma once
/// Contents of a trace of any format, independent of a run.

#include <string>
#include <utility>
#include <vector>

namespace tributary::training {

struct TraceSummary {
  std::vector<std::pair<std::string, std::string>> rows;  ///< name, numbers; the first is the format
  std::vector<std::string> warnings;                      ///< one line each
  std::string refusal;                                    ///< the reason why no run accepts the trace; empty: none
};

/// Counts the contents of a file, or of the files of all ranks (trace_files.h). `group_file`: file of the process groups of
/// Chakra traces; empty: the one next to the traces. Throws InputError.
TraceSummary summary_of_trace(const std::string& path, const std::string& group_file);

}  // namespace tributary::training
