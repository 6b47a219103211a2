#include "testbench/cli/commands/import_trace.h"

#include <algorithm>
#include <iostream>

#include "testbench/cli/exit_code.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/chakra_summary.h"
#include "testbench/workload/training/read/group_file.h"
#include "testbench/workload/training/read/trace_files.h"
#include "testbench/workload/training/read/trace_format.h"

namespace tributary {

int import_trace(const ImportRequest& request) {
  if (request.strict || !request.format.empty() || !request.graph.empty() || !request.completion.empty() || request.cycle ||
      request.flit_rate)
    throw InputError("import trace: an option of topologies (legal: --groups, --summary)");
  if (request.file.empty()) throw InputError("import: FILE is missing (legal: a Chakra trace, or PREFIX; see --help)");
  training::ChakraSummary summary;
  for (const std::string& name : training::trace_files(request.file)) {
    const std::unique_ptr<std::istream> file = training::open_trace(name);
    if (training::format_of_trace(*file, name) != training::TraceFormat::chakra)
      throw InputError(
          name + ": not a Chakra trace (legal: a Chakra trace; `train --graph` reads logs of NCCL, traces of PyTorch and " +
          "text workloads)");
    summary.add_file(*file, name);
  }
  const std::string groups = request.groups.empty() ? training::group_file_of(request.file) : request.groups;
  if (!groups.empty()) summary.add_groups(training::read_group_file(groups), groups);
  std::cout << "format         chakra\n";
  for (const auto& [what, numbers] : summary.rows()) {
    std::string begin = what;
    begin.resize(std::max<std::size_t>(15, what.size() + 1), ' ');
    std::cout << begin << numbers << '\n';
  }
  std::cout << std::flush;
  if (const std::string why = summary.refusal(); !why.empty()) throw InputError(request.file + ": " + why);
  return exit_done;
}

}  // namespace tributary
