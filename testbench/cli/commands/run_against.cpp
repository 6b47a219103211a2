#include "testbench/cli/commands/run_against.h"

#include <algorithm>
#include <iostream>

#include "testbench/cli/exit_code.h"
#include "testbench/report/against_rows.h"
#include "testbench/report/stuck_report.h"
#include "testbench/run/interrupt.h"
#include "testbench/run/memory_reserve.h"
#include "testbench/run/training/silent_names.h"

namespace tributary {
namespace {

std::vector<ResultRow> run_other(Runner& runner, const RunSpec& spec, std::size_t number) {
  if (interrupt_requested()) return rows_without_result(spec, number, Status::interrupted);
  try {
    return runner.run(number);
  } catch (const std::exception&) {
    if (!memory_ran_out()) throw;
    return rows_without_result(spec, number, Status::out_of_memory);
  }
}

}  // namespace

RunsAgainst::RunsAgainst(const RunRequest& request) : request_(request) {
  const SilentNames silent;
  for (const RunSpec& spec : request.against) runners_.push_back(make_runner(spec, Elaboration::goes_on));
}

int RunsAgainst::run(const std::vector<ResultRow>& rows, RunReport& report) {
  int code = exit_done;
  std::vector<AgainstRow> against;
  for (std::size_t k = 0; k < runners_.size(); ++k) {
    const RunSpec& spec = request_.against[k];
    for (std::size_t number = 0; number < std::min(rows.size(), spec.messages()); ++number) {
      ResultRow row = run_other(*runners_[k], spec, number).front();
      code = std::max(code, info_of(row.status).exit_code);
      if (!is_complete(row.status)) std::cerr << stuck_text(row.status, row.report, spec.jobs.front().algorithm, "");
      against.push_back({spec.jobs.front().algorithm, rows[number], std::move(row)});
      if (!is_complete(against.back().row.status)) break;
    }
  }
  report.against(against_text(request_.spec.jobs.front().algorithm, against), against_json(against));
  return code;
}

}  // namespace tributary
