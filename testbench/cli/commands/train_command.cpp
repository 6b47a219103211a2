#include "testbench/cli/commands/train_command.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <utility>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/commands/observer_notes.h"
#include "testbench/cli/commands/train_checks.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/requests/platform_file.h"
#include "testbench/report/memory_table.h"
#include "testbench/report/progress_line.h"
#include "testbench/report/result_file.h"
#include "testbench/report/screen_width.h"
#include "testbench/report/stuck_report.h"
#include "testbench/report/time_used.h"
#include "testbench/report/train_bottleneck.h"
#include "testbench/report/train_report.h"
#include "testbench/run/energy/step_energy.h"
#include "testbench/run/interrupt.h"
#include "testbench/run/memory_reserve.h"
#include "testbench/run/resolve.h"
#include "testbench/run/training/step_offer.h"
#include "testbench/run/training/step_run.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/memory_check.h"
#include "testbench/workload/training/read/graph_yaml.h"

namespace tributary {
namespace {

using training::IdealOptions;
using training::IdealRun;
using training::TaskGraph;
using training::TrainStep;

/// Adds the energy of a row of the step, `times` times. Rows of several jobs have the counters of all.
void count_energy(const TrainRequest& request, const JobSpec& job, const RunParameters& params, const ResultRow& row,
                  double times, StepEnergy& energy) {
  const OutputSpec& output = request.run.output;
  if (!output.energy && output.json.empty()) return;
  RunSpec spec = request.run.spec;
  spec.jobs = {job};
  if (const auto use = energy_use(spec, params, row)) energy.add(*use, times), energy.add_area(area_of(spec, params));
}

/// Turns an exception during elaboration into InputError, because nothing has run yet.
template <class Make>
auto elaborate(Make make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    if (memory_ran_out()) throw std::bad_alloc();
    throw InputError(error.what());
  }
}

void print_notes(const TrainRequest& request, const TrainStep& step, const std::vector<std::string>& algorithms) {
  print_renamed(request.run.renamed);
  tributary::print_notes(request.run);
  print_platform_notes(request.run.spec.platform, false);
  for (const std::vector<std::string>* notes : {&step.warnings, &algorithms})
    for (const std::string& note : *notes) std::cerr << "tributary: warning: " << note << "\n";
}

std::vector<double> sizes_of(const IsolatedTransfers& transfers) {
  std::vector<double> sizes;
  for (const IsolatedTransfer& t : transfers.transfers()) sizes.push_back(static_cast<double>(t.size.value));
  return sizes;
}

/// Returns the row of a step for which memory has run out.
ResultRow without_memory() {
  ResultRow row;
  row.status = Status::out_of_memory;
  row.report = memory_shortage();
  return row;
}

void report_stuck(const TrainRequest& request, const ResultRow& row, const std::string& kept) {
  const std::string& file = request.run.output.report;
  if (!file.empty() && !row.report.empty()) replace_file(file, row.report);
  std::cerr << stuck_text(row.status, row.report, kept, file);
}

/// Runs a transfer or a step. Memory that runs out gives its row the status out_of_memory.
ResultRow run_guarded(const std::function<ResultRow()>& run) {
  try {
    return run();
  } catch (const std::exception&) {
    if (!memory_ran_out()) throw;
    return without_memory();
  }
}

/// Runs transfers until one does not end. Returns the row of that one, and the number of transfers that have ended.
std::pair<ResultRow, std::size_t> measure(const TrainRequest& request, IsolatedTransfers& transfers, StepEnergy& energy) {
  ProgressLine progress(!request.run.output.quiet && !request.run.output.takes_stdout(), sizes_of(transfers));
  for (std::size_t i = 0; i < transfers.count(); ++i) {
    progress.begin(i);
    ResultRow row;
    row.status = Status::interrupted;
    const auto show = [&](double share, double us, double hops_per_s) { progress.update(share, us, hops_per_s); };
    if (!interrupt_requested()) row = run_guarded([&] { return transfers.run(i, show); });
    progress.clear();
    const IsolatedTransfer& t = transfers.transfers()[i];
    if (row.status == Status::done) {
      const double times = static_cast<double>(t.operations) / static_cast<double>(t.together);
      count_energy(request, t.job, transfers.parameters(), row, times, energy);
      continue;
    }
    const std::string kept = t.job.collective + " of " + to_string(t.size) + ", " + std::to_string(i) + " of " +
                             std::to_string(transfers.count()) + " transfers done";
    report_stuck(request, row, kept);
    return {row, i};
  }
  return {ResultRow{}, transfers.count()};
}

/// Prints the memory of a step, and refuses one that does not fit.
int print_memory(const TrainRequest& request) {
  const int ranks = static_cast<int>(request.run.spec.jobs.front().ranks.size());
  const training::MemoryPlan plan = training::memory_plan(request.model, request.params, ranks);
  std::cout << memory_table(request.model, plan) << std::flush;
  for (const training::StepMemory& place : plan.places) training::check_memory(place, plan.params);
  return exit_done;
}

int write_graph(const TaskGraph& graph, const std::string& path) {
  std::ostringstream text;
  training::write_graph_yaml(graph, text);
  replace_file(path, text.str());
  return exit_done;
}

IdealRun carry_out(const TrainStep& step, std::function<training::TransferTime(const training::Task&)> transfer,
                   unsigned memory_share, std::size_t links = 0, training::Sharing sharing = training::Sharing::fair) {
  IdealOptions options;
  options.sharing = sharing;
  options.links = links;
  options.memory_share = memory_share;
  options.transfer = std::move(transfer);
  if (step.stragglers.any())
    options.compute = [&](training::TaskId task, int rank) { return step.stragglers.time(step.graph, task, rank); };
  return ideal_run(step.graph, options);
}

/// Results of a step in either fidelity.
struct Outcome {
  bool full = false;
  std::optional<IdealRun> run;  ///< empty if the step did not end
  std::vector<IsolatedTransfer> transfers;
  RunParameters parameters;
  KernelUse kernel;
  std::vector<LinkUse> links;
  std::optional<Bottleneck> communication;
  std::vector<ObserverNote> observer_notes;
  Status status = Status::done;
  std::string cause = {};
  std::optional<EstimateSpread> spread = {};
  StepEnergy energy = {};
};

/// Returns the outcome of a step whose machine does not fit into memory.
Outcome no_machine(const TrainRequest& request) {
  Outcome outcome;
  const ResultRow row = without_memory();
  report_stuck(request, row, "no operation has started");
  outcome.parameters = resolve_parameters(request.run.spec);
  outcome.status = row.status, outcome.cause = row.report;
  return outcome;
}

/// Returns the iteration without any effect of operations on each other, and with each waiting for those before it.
EstimateSpread spread_of(const TrainStep& step, const IsolatedTransfers& transfers, unsigned memory_share, Tick fair) {
  const auto period = [&](training::Sharing sharing) {
    const auto time_of = [&](const training::Task& task) { return transfers.time_of(task); };
    return training::report(step.graph, carry_out(step, time_of, memory_share, transfers.links(), sharing)).period();
  };
  const Tick none = period(training::Sharing::none), in_turn = period(training::Sharing::in_turn);
  return {std::min({none, in_turn, fair}), std::max({none, in_turn, fair}), ""};
}

Outcome isolated_outcome(const TrainRequest& request, const TrainStep& step, const IsolatedTransfers& transfers) {
  const unsigned share = request.params.compute.memory_share;
  const auto time_of = [&](const training::Task& task) { return transfers.time_of(task); };
  IdealRun run = carry_out(step, time_of, share, transfers.links());
  Outcome outcome;
  if (run.slowed) outcome.spread = spread_of(step, transfers, share, training::report(step.graph, run).period());
  outcome.links = links_of(transfers.transfers(), run.end);
  outcome.run = std::move(run);
  outcome.transfers = transfers.transfers();
  outcome.parameters = transfers.parameters(), outcome.kernel = transfers.kernel();
  outcome.communication = bottleneck_of_transfers(transfers.transfers());
  return outcome;
}

Outcome full_outcome(const TrainRequest& request, StepRun& devices) {
  ProgressLine progress(!request.run.output.quiet && !request.run.output.takes_stdout(), {1.0});
  progress.begin(0);
  const auto show = [&](double share, double us, double hops_per_s) { progress.update(share, us, hops_per_s); };
  const ResultRow row = run_guarded([&] { return devices.run(show); });
  progress.clear();
  Outcome outcome;
  outcome.full = true;
  outcome.parameters = devices.parameters(), outcome.kernel = devices.kernel();
  outcome.status = row.status;
  if (row.status == Status::done) {
    std::copy_if(row.links.begin(), row.links.end(), std::back_inserter(outcome.links),
                 [](const LinkUse& l) { return l.bytes > 0; });
    outcome.run = devices.measured();
    count_energy(request, request.run.spec.jobs.front(), outcome.parameters, row, 1, outcome.energy);
    outcome.communication = row.bottleneck;
    outcome.observer_notes = devices.observer_notes();
    return outcome;
  }
  print_observer_notes(exit_unfinished, devices.observer_notes());
  report_stuck(request, row, "the step of " + std::to_string(devices.operations()) + " operations did not end");
  outcome.cause = row.report;
  return outcome;
}

std::unique_ptr<StepRun> devices_of(const TrainRequest& request, const TrainStep& step) {
  return elaborate(
      [&] { return std::make_unique<StepRun>(request.run.spec, step.graph, step.stragglers, request.params.ring); });
}

Outcome run_full(const TrainRequest& request, const TrainStep& step) {
  const auto devices = devices_of(request, step);
  print_notes(request, step, devices->notes());
  return full_outcome(request, *devices);
}

/// Runs the transfers of a step. If they slow each other, devices execute the step as a whole, where they can.
Outcome run_transfers(const TrainRequest& request, const TrainStep& step) {
  const bool meet = training::may_meet(step.graph);
  const std::string refusal = meet ? refusal_of_devices(request, step) : "";
  const auto transfers =
      elaborate([&] { return std::make_unique<IsolatedTransfers>(request.run.spec, step.graph, request.params.ring); });
  const auto devices = meet && refusal.empty() ? devices_of(request, step) : nullptr;
  print_notes(request, step, transfers->notes());
  StepEnergy energy;
  const auto [last, ended] = measure(request, *transfers, energy);
  if (last.status != Status::done) {
    Outcome outcome;
    outcome.transfers = transfers->transfers();
    outcome.transfers.resize(ended);
    outcome.parameters = transfers->parameters(), outcome.kernel = transfers->kernel();
    outcome.status = last.status, outcome.cause = last.report;
    return outcome;
  }
  Outcome outcome = isolated_outcome(request, step, *transfers);
  outcome.energy = std::move(energy);
  if (!outcome.spread) return outcome;
  const std::uint64_t bytes = step_bytes(transfers->transfers());
  if (devices != nullptr && bytes <= most_step_bytes) return full_outcome(request, *devices);
  outcome.spread->no_full = !refusal.empty() ? refusal
                                             : std::to_string(bytes / 1'000'000'000) + " GB on links, more than " +
                                                   std::to_string(most_step_bytes / 1'000'000'000) +
                                                   " GB, only if --fidelity full asks for it";
  return outcome;
}

Outcome run_step(const TrainRequest& request, const TrainStep& step) {
  try {
    return request.fidelity == Fidelity::full ? run_full(request, step) : run_transfers(request, step);
  } catch (const std::bad_alloc&) {
    return no_machine(request);
  }
}

void print_results(const TrainRequest& request, const TrainStep& step, const Outcome& outcome, const TimeUsed& used) {
  const bool done = outcome.status == Status::done;
  const training::StepReport report = done ? training::report(step.graph, *outcome.run) : training::StepReport{};
  const IdealRun alone = carry_out(
      step, [](const training::Task&) { return training::TransferTime{}; }, 0);
  const Tick alone_period = training::report(step.graph, alone).period();
  TrainResult result{request.run.spec, request.params,     step,           report,      outcome.transfers,
                     alone_period,     outcome.parameters, outcome.kernel, outcome.full};
  result.slowed = done && outcome.run->slowed;
  if (done) result.in_flight = training::operations_in_flight(step.graph, *outcome.run);
  result.spread = outcome.spread;
  result.links = outcome.links, result.communication = outcome.communication;
  result.status = outcome.status, result.cause = outcome.cause;
  if (done && !report.iterations.empty()) {
    const std::size_t iterations = report.iterations.size();
    result.energy_seconds = static_cast<double>(outcome.run->end) * 1e-12 / static_cast<double>(iterations);
    result.energy = outcome.energy.of_iteration(outcome.parameters.prices, result.energy_seconds, iterations);
    if (result.energy) result.area = outcome.energy.area();
  }
  result.prints_energy = request.run.output.energy;
  const std::string &json = request.run.output.json, &csv = request.run.output.csv;
  const bool screen = !request.run.output.takes_stdout();
  if (screen && done) print_training(std::cout, result, screen_width());
  if (screen && !request.run.output.quiet) std::cout << used.line();
  if (json == "-")
    std::cout << training_json(result) << std::flush;
  else if (!json.empty())
    replace_file(json, training_json(result));
  if (csv == "-")
    std::cout << training_csv(result) << std::flush;
  else if (!csv.empty())
    replace_file(csv, training_csv(result));
}

}  // namespace

int train_command(const TrainRequest& request) {
  const TimeUsed used;
  start_logging(request.run.output.log_level);
  install_interrupt_handler();
  if (request.print_memory) return print_memory(request);
  const TrainStep step = step_of(request);
  if (!request.write_graph.empty()) return write_graph(step.graph, request.write_graph);
  const Outcome outcome = run_step(request, step);
  print_results(request, step, outcome, used);
  if (outcome.status != Status::done) return exit_unfinished;
  return print_observer_notes(exit_done, outcome.observer_notes);
}

}  // namespace tributary
