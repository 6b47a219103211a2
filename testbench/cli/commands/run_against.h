#pragma once
/// The runs of `tributary run --against`.

#include <memory>
#include <vector>

#include "testbench/cli/requests/run_request.h"
#include "testbench/report/run_report.h"
#include "testbench/run/runner.h"

namespace tributary {

class RunsAgainst {
 public:
  /// Elaborates a platform for each other algorithm, before any of them runs. Throws as make_runner() does.
  explicit RunsAgainst(const RunRequest& request);

  bool any() const { return !runners_.empty(); }
  /// Runs all messages by each algorithm, and adds them to the report. `rows`: those of the run. Returns the exit code.
  int run(const std::vector<ResultRow>& rows, RunReport& report);

 private:
  const RunRequest& request_;
  std::vector<std::unique_ptr<Runner>> runners_;
};

}  // namespace tributary
