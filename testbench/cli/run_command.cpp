#include "testbench/cli/run_command.h"

#include <iostream>
#include <memory>
#include <vector>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/exit_code.h"
#include "testbench/report/progress_line.h"
#include "testbench/report/run_report.h"
#include "testbench/run/interrupt.h"
#include "testbench/run/runner.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Whatever goes wrong while the platform is made, nothing has run yet.
std::unique_ptr<Runner> elaborate(const RunSpec& spec) {
  try {
    return make_runner(spec);
  } catch (const std::exception& error) {
    throw InputError(error.what());
  }
}

/// Says why no further message runs; true when there is such a reason.
bool stopped(Status status, const std::string& report, std::size_t done, std::size_t messages) {
  if (status == Status::done || status == Status::wrong) return false;
  const std::string kept = std::to_string(done) + " of " + std::to_string(messages) + " messages done and kept";
  if (status == Status::interrupted)
    std::cerr << "tributary: interrupted: " << kept << "\n";
  else if (status == Status::time_limit)
    std::cerr << "tributary: time limit reached: " << kept << "\n";
  else
    std::cerr << "tributary: deadlock: " << kept << "\n";
  if (!report.empty()) std::cerr << report << (report.back() == '\n' ? "" : "\n");
  return true;
}

}  // namespace

int run_command(const RunRequest& request) {
  start_logging(request.output.log_level);
  install_interrupt_handler();
  const auto runner = elaborate(request.spec);
  tell_renamed(request.renamed);
  RunReport report(request.spec, request.output, runner->parameters());
  const std::size_t messages = request.spec.messages();
  ProgressLine progress(!request.output.quiet, messages);
  runner->on_progress([&](double share, double us, double hops_per_s) { progress.update(share, us, hops_per_s); });
  int code = exit_done;
  for (std::size_t done = 0; done < messages; ++done) {
    progress.begin(done);
    std::vector<ResultRow> rows(1);
    rows.front().status = Status::interrupted;
    if (!interrupt_requested()) rows = runner->run(done);
    progress.clear();
    const ResultRow* unfinished = nullptr;  // jobs at once end together
    for (const ResultRow& row : rows) {
      if (row.status == Status::wrong && code == exit_done) code = exit_wrong;
      if (row.status != Status::interrupted) report.row(row, runner->kernel());
      if (unfinished == nullptr && row.status != Status::done && row.status != Status::wrong) unfinished = &row;
    }
    if (unfinished != nullptr && stopped(unfinished->status, unfinished->report, done, messages)) {
      code = exit_unfinished;
      break;
    }
  }
  runner->finish();
  report.finish(runner->kernel());
  return code;
}

}  // namespace tributary
