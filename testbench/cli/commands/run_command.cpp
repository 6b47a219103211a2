#include "testbench/cli/commands/run_command.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/commands/block_checks.h"
#include "testbench/cli/commands/observer_notes.h"
#include "testbench/cli/commands/run_against.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/measured/measure_process.h"
#include "testbench/cli/measured/named_parameters.h"
#include "testbench/cli/requests/platform_file.h"
#include "testbench/observe/output_file.h"
#include "testbench/report/progress_line.h"
#include "testbench/report/result_file.h"
#include "testbench/report/run_report.h"
#include "testbench/report/stuck_report.h"
#include "testbench/report/time_used.h"
#include "testbench/run/interrupt.h"
#include "testbench/run/memory_reserve.h"
#include "testbench/run/resolve.h"
#include "testbench/run/run_processes.h"
#include "testbench/run/runner.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Turns an exception during elaboration into InputError, because nothing has run yet.
template <class Make>
auto made_before_runs(Make make) {
  try {
    return make();
  } catch (const OutputError&) {
    throw;  // a full disk is not an error of the input
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    if (memory_ran_out()) throw std::bad_alloc();
    throw InputError(error.what());
  }
}

void warn_of_small_flows(const RunSpec& spec) {
  if (spec.mode != SimulationMode::fluid) return;
  for (const JobSpec& job : spec.jobs)
    for (const WorkItem& item : job.items)
      if (item.size < 1_MiB) {
        std::cerr << "tributary: warning: " << to_string(item.size)
                  << " by flows: flows below 1MiB have not been compared with packets (docs/fluid.md)\n";
        return;
      }
}

/// Returns the size of each message, summed over concurrent jobs.
std::vector<double> sizes_of(const RunSpec& spec) {
  std::vector<double> sizes(spec.messages());
  for (const JobSpec& job : spec.jobs)
    for (std::size_t i = 0; i < sizes.size(); ++i)
      sizes[i] += static_cast<double>(job.items.at(i / spec.repeats()).size.value);
  return sizes;
}

/// Runs a message. Memory that runs out gives its rows the status out_of_memory; several processes end.
std::vector<ResultRow> run_message(Runner& runner, const RunSpec& spec, std::size_t number) {
  // Several processes find an interrupt together, while they run the message.
  if (interrupt_requested() && !spec.processes) return rows_without_result(spec, number, Status::interrupted);
  try {
    return runner.run(number);
  } catch (const std::exception&) {
    if (!memory_ran_out() || spec.processes) throw;
    return rows_without_result(spec, number, Status::out_of_memory);
  }
}

/// Prints the reason why no further message runs. Returns false if there is none.
bool stopped(const ResultRow& row, std::size_t done, std::size_t messages, const std::string& file) {
  if (is_complete(row.status)) return false;
  const std::string kept = std::to_string(done) + " of " + std::to_string(messages) + " messages done and kept";
  if (!file.empty() && !row.report.empty()) replace_file(file, row.report);
  std::cerr << stuck_text(row.status, row.report, kept, file);
  return true;
}

/// Reports a machine that does not fit into memory as the first message without a result.
int report_no_machine(const RunRequest& request, const TimeUsed& used) {
  RunReport report(request.spec, request.output, resolve_parameters(request.spec));
  const std::vector<ResultRow> rows = rows_without_result(request.spec, 0, Status::out_of_memory);
  for (const ResultRow& row : rows) report.row(row, {});
  stopped(rows.front(), 0, request.spec.messages(), request.output.report);
  report.finish({}, used, nullptr);
  return exit_unfinished;
}

/// Runs all messages. `ended`: their rows.
int run_messages(const RunRequest& request, Runner& runner, RunReport& report, std::vector<ResultRow>& ended) {
  const std::size_t messages = request.spec.messages();
  ProgressLine progress(!request.output.quiet, sizes_of(request.spec));
  runner.on_progress([&](double share, double us, double hops_per_s) { progress.update(share, us, hops_per_s); });
  int code = exit_done;
  for (std::size_t done = 0; done < messages; ++done) {
    progress.begin(done);
    const std::vector<ResultRow> rows = run_message(runner, request.spec, done);
    progress.clear();
    const ResultRow* unfinished = nullptr;  // concurrent jobs end together
    for (const ResultRow& row : rows) {
      if (is_complete(row.status)) code = std::max(code, info_of(row.status).exit_code);
      report.row(row, runner.kernel());
      ended.push_back(row);
      if (ended.size() > 1 && request.against.empty()) ended.erase(ended.begin());  // the last one is enough
      if (unfinished == nullptr && !is_complete(row.status)) unfinished = &row;
    }
    if (unfinished != nullptr && stopped(*unfinished, done, messages, request.output.report))
      return info_of(unfinished->status).exit_code;
  }
  return code;
}

}  // namespace

int run_command(const RunRequest& request) {
  const TimeUsed used;
  start_logging(request.output.log_level);
  install_interrupt_handler();
  std::optional<MeasureProcess> reruns;  // starts before the platform is elaborated
  if (request.measure) reruns.emplace(*request.measure);
  print_platform_notes(request.spec.platform, request.strict);
  print_warnings(request);
  std::unique_ptr<Runner> runner;
  std::unique_ptr<RunsAgainst> others;
  try {
    const Elaboration elaboration = request.against.empty() ? Elaboration::ends : Elaboration::goes_on;
    in_all_processes(request.spec.processes.get(),
                     [&] { runner = made_before_runs([&] { return make_runner(request.spec, elaboration); }); });
    others = made_before_runs([&] { return std::make_unique<RunsAgainst>(request); });
  } catch (const std::bad_alloc&) {
    return report_no_machine(request, used);
  }
  print_renamed(request.renamed);
  print_notes(request);
  print_one_lane(request, runner->one_lane_because());
  warn_of_small_flows(request.spec);
  RunReport report(request.spec, request.output, runner->parameters());
  report.in_kernel_time(runner->in_kernel_time());
  std::vector<ResultRow> rows;
  int code = run_messages(request, *runner, report, rows);
  if (others->any() && code != exit_unfinished) code = std::max(code, others->run(rows, report));
  const bool recorded = !memory_ran_out();  // the state of the machine may be incomplete
  if (recorded) runner->finish();
  if (reruns && code != exit_unfinished && !rows.empty()) {
    const MeasuredResult measured = reruns->measure({used.wall_s(), named_parameters(rows.back())});
    report.measured(measured);
    if (interrupt_requested()) code = exit_unfinished;
    if (!request.measure->drawing.empty()) replace_file(request.measure->drawing, measured.drawing);
  }
  report_block_checks(request.spec, request.output.quiet, report);
  report.finish(runner->kernel(), used, recorded ? runner->record() : nullptr);
  return print_observer_notes(code, runner->observer_notes());
}

}  // namespace tributary
