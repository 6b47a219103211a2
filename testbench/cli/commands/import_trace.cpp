#include "testbench/cli/commands/import_trace.h"

#include <algorithm>
#include <iostream>

#include "testbench/cli/exit_code.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/trace_summary.h"

namespace tributary {

int import_trace(const ImportRequest& request) {
  if (request.strict || !request.format.empty() || !request.graph.empty() || !request.completion.empty() || request.cycle ||
      request.flit_rate)
    throw InputError("import trace: an option of topologies (legal: --groups, --summary)");
  if (request.file.empty()) throw InputError("import: FILE is missing (legal: a trace, or PREFIX; see --help)");
  const training::TraceSummary summary = training::summary_of_trace(request.file, request.groups);
  for (const auto& [what, numbers] : summary.rows) {
    std::string begin = what;
    begin.resize(std::max<std::size_t>(15, what.size() + 1), ' ');
    std::cout << begin << numbers << '\n';
  }
  std::cout << std::flush;
  for (const std::string& warning : summary.warnings) std::cerr << "tributary: warning: " << warning << '\n';
  if (!summary.refusal.empty()) throw InputError(request.file + ": " + summary.refusal);
  return exit_done;
}

}  // namespace tributary
