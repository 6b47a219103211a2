#include "testbench/cli/commands/train_outcome.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <new>
#include <utility>

#include "testbench/cli/commands/observer_notes.h"
#include "testbench/cli/commands/train_checks.h"
#include "testbench/cli/exit_code.h"
#include "testbench/report/progress_line.h"
#include "testbench/report/result_file.h"
#include "testbench/report/stuck_report.h"
#include "testbench/report/train_bottleneck.h"
#include "testbench/run/family.h"
#include "testbench/run/interrupt.h"
#include "testbench/run/memory_reserve.h"
#include "testbench/run/resolve.h"
#include "testbench/run/training/step_offer.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using training::IdealOptions;
using training::IdealRun;
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
auto elaborated(Make make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    if (memory_ran_out()) throw std::bad_alloc();
    throw InputError(error.what());
  }
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
std::pair<ResultRow, std::size_t> measure_all(const TrainRequest& request, IsolatedTransfers& transfers,
                                              StepEnergy& energy) {
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

/// Returns the iteration without any effect of operations on each other, and with each waiting for those before it.
EstimateSpread spread_of(const TrainStep& step, const IsolatedTransfers& transfers, unsigned memory_share, Tick fair) {
  const auto period = [&](training::Sharing sharing) {
    const auto time_of = [&](const training::Task& task) { return transfers.time_of(task); };
    return training::report(step.graph, carry_out(step, time_of, memory_share, transfers.links(), sharing)).period();
  };
  const Tick none = period(training::Sharing::none), in_turn = period(training::Sharing::in_turn);
  return {std::min({none, in_turn, fair}), std::max({none, in_turn, fair}), ""};
}

TrainOutcome isolated_outcome(const TrainRequest& request, const TrainStep& step, const IsolatedTransfers& transfers) {
  const unsigned share = request.params.compute.memory_share;
  const auto time_of = [&](const training::Task& task) { return transfers.time_of(task); };
  IdealRun run = carry_out(step, time_of, share, transfers.links());
  TrainOutcome outcome;
  if (run.slowed) outcome.spread = spread_of(step, transfers, share, training::report(step.graph, run).period());
  outcome.links = links_of(transfers.transfers(), run.end);
  outcome.run = std::move(run);
  outcome.transfers = transfers.transfers();
  outcome.parameters = transfers.parameters(), outcome.kernel = transfers.kernel();
  outcome.communication = bottleneck_of_transfers(transfers.transfers());
  return outcome;
}

TrainOutcome full_outcome(const TrainRequest& request, StepRun& devices) {
  ProgressLine progress(!request.run.output.quiet && !request.run.output.takes_stdout(), {1.0});
  progress.begin(0);
  const auto show = [&](double share, double us, double hops_per_s) { progress.update(share, us, hops_per_s); };
  const ResultRow row = run_guarded([&] { return devices.run(show); });
  progress.clear();
  TrainOutcome outcome;
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

}  // namespace

IdealRun carry_out(const TrainStep& step, std::function<training::TransferTime(const training::Task&)> transfer,
                   unsigned memory_share, std::size_t links, training::Sharing sharing, training::PairRule* pairs) {
  IdealOptions options;
  options.pairs = pairs;
  options.sharing = sharing;
  options.links = links;
  options.memory_share = memory_share;
  options.transfer = std::move(transfer);
  if (step.stragglers.any())
    options.compute = [&](training::TaskId task, int rank) { return step.stragglers.time(step.graph, task, rank); };
  return ideal_run(step.graph, options);
}

TrainOutcome no_machine(const TrainRequest& request) {
  TrainOutcome outcome;
  const ResultRow row = without_memory();
  report_stuck(request, row, "no operation has started");
  outcome.parameters = resolve_parameters(request.run.spec);
  outcome.status = row.status, outcome.cause = row.report;
  return outcome;
}

PreparedStep::PreparedStep(const TrainRequest& request) : request_(request), step_(step_of(request)) {
  meets_ = training::may_meet(step_.graph);
  if (request.fidelity != Fidelity::full && meets_) refusal_ = refusal_of_devices(request, step_);
  start_pairs();
}

/// Pairs are measured by packets, where operations meet and begin in the order of their queues.
void PreparedStep::start_pairs() {
  const bool asked = request_.fidelity == Fidelity::automatic || request_.fidelity == Fidelity::pairs;
  const bool packets =
      family_of(request_.run.spec.platform).has_packets() && request_.run.spec.mode != SimulationMode::fluid;
  if (asked && packets && meets_)
    pair_process_ = std::make_unique<PairProcess>(request_.run.spec, step_.graph, request_.params.ring);
}

/// Runs the graph again with the times and speeds of pairs that meet, until no other pair meets. If all are measured, the
/// spread is the difference from --fidelity full that docs/training_fidelity.md#pairs shows.
void PreparedStep::use_pairs(TrainOutcome& outcome) {
  constexpr double known_difference = 0.05;
  MeasuredPairs pairs(step_.graph, [&](const training::Task& task) { return transfers_->time_of(task); });
  const auto time_of = [&](const training::Task& task) { return pairs.time(task); };
  const unsigned share = request_.params.compute.memory_share;
  constexpr int most_runs = 8;
  for (int i = 0; i < most_runs; ++i) {
    outcome.run = carry_out(step_, time_of, share, transfers_->links(), training::Sharing::fair, &pairs);
    if (interrupt_requested() || pairs.measure(*pair_process_) == 0) break;
  }
  outcome.pairs = {pairs.met(), pairs.measured()};
  outcome.links = links_of(transfers_->transfers(), outcome.run->end);
  const Tick period = training::report(step_.graph, *outcome.run).period();
  if (outcome.pairs.measured == outcome.pairs.met && !interrupt_requested())
    outcome.spread->shortest = static_cast<Tick>(static_cast<double>(period) * (1 - known_difference)),
    outcome.spread->longest = static_cast<Tick>(static_cast<double>(period) * (1 + known_difference));
  else
    outcome.spread->shortest = std::min(outcome.spread->shortest, period),
    outcome.spread->longest = std::max(outcome.spread->longest, period);
}

void PreparedStep::make_transfers() {
  transfers_ =
      elaborated([&] { return std::make_unique<IsolatedTransfers>(request_.run.spec, step_.graph, request_.params.ring); });
}

/// Replaces a graph of representatives whose ranks are unlike. Returns false if there is nothing to replace.
bool PreparedStep::use_all_ranks() {
  if (transfers_->alike()) return false;
  step_ = step_of(request_, Ranks::all);
  make_transfers();
  return true;
}

void PreparedStep::elaborate() {
  const bool full = request_.fidelity == Fidelity::full;
  if (!full) make_transfers();
  if (!full) use_all_ranks();
  if (full || (meets_ && refusal_.empty()))
    devices_ = elaborated(
        [&] { return std::make_unique<StepRun>(request_.run.spec, step_.graph, step_.stragglers, request_.params.ring); });
  if (const std::string reason = algorithms().refusal(); request_.names_algorithm && !reason.empty())
    throw InputError("no group of the step runs by " + request_.run.spec.jobs.front().algorithm + ": " + reason);
}

TrainOutcome PreparedStep::run() {
  if (transfers_ == nullptr) return full_outcome(request_, *devices_);
  TrainOutcome outcome = run_transfers();
  return outcome.status == Status::done && use_all_ranks() ? run_transfers() : outcome;
}

/// Runs the transfers of a step. If they slow each other, devices execute the step as a whole, where they can.
TrainOutcome PreparedStep::run_transfers() {
  StepEnergy energy;
  const auto [last, ended] = measure_all(request_, *transfers_, energy);
  if (last.status != Status::done) {
    TrainOutcome outcome;
    outcome.transfers = transfers_->transfers();
    outcome.transfers.resize(ended);
    outcome.parameters = transfers_->parameters(), outcome.kernel = transfers_->kernel();
    outcome.status = last.status, outcome.cause = last.report;
    return outcome;
  }
  if (!transfers_->alike()) return {};
  TrainOutcome outcome = isolated_outcome(request_, step_, *transfers_);
  outcome.energy = std::move(energy);
  if (!outcome.spread) return outcome;
  const std::uint64_t bytes = step_bytes(transfers_->transfers());
  if (devices_ != nullptr && bytes <= most_step_bytes) return full_outcome(request_, *devices_);
  outcome.spread->no_full = !refusal_.empty() ? refusal_
                                              : std::to_string(bytes / 1'000'000'000) + " GB on links, more than " +
                                                    std::to_string(most_step_bytes / 1'000'000'000) +
                                                    " GB, only if --fidelity full asks for it";
  if (pair_process_ != nullptr && (request_.fidelity == Fidelity::pairs || bytes <= most_step_bytes)) use_pairs(outcome);
  return outcome;
}

}  // namespace tributary
