#include "testbench/cli/commands/train_command.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/commands/observer_notes.h"
#include "testbench/cli/commands/train_checks.h"
#include "testbench/cli/commands/train_outcome.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/requests/platform_file.h"
#include "testbench/report/memory_table.h"
#include "testbench/report/result_file.h"
#include "testbench/report/screen_width.h"
#include "testbench/report/time_used.h"
#include "testbench/report/train_against.h"
#include "testbench/report/train_report.h"
#include "testbench/run/interrupt.h"
#include "testbench/workload/training/read/graph_yaml.h"

namespace tributary {
namespace {

using training::IdealRun;
using training::TaskGraph;
using training::TrainStep;

/// Returns a note on a step of a language model whose passes have the few tokens that a table of layers has by default;
/// empty if there is none.
std::string note_of_batch(const TrainRequest& request) {
  const training::TrainingParams &t = request.params.training, usual;
  if (!request.graph.empty() || request.model.unit != training::BatchUnit::token || t.sequences || t.batch != usual.batch)
    return "";
  return "a pass of a replica has " + std::to_string(t.batch) +
         " tokens, by default; --sequences N gives an iteration N "
         "sequences, and --batch a pass its tokens";
}

/// Prints each note once.
void print_notes(const TrainRequest& request, const std::vector<std::unique_ptr<PreparedStep>>& steps) {
  print_renamed(request.run.renamed);
  tributary::print_notes(request.run);
  print_platform_notes(request.run.spec.platform, false);
  if (const std::string note = note_of_batch(request); !note.empty()) std::cerr << "tributary: note: " << note << "\n";
  for (const auto& step : steps)
    if (const std::string why = step->one_lane_because(); !why.empty()) {
      print_one_lane(request.run, why);
      break;
    }
  std::set<std::string> printed;
  for (const auto& step : steps)
    for (const std::vector<std::string>& notes : {step->step().warnings, step->notes()})
      for (const std::string& note : notes)
        if (printed.insert(note).second) std::cerr << "tributary: warning: " << note << "\n";
}

/// Returns the requests of the algorithms that are compared with that of the run.
std::vector<TrainRequest> requests_against(const TrainRequest& request) {
  std::vector<TrainRequest> all;
  for (const std::string& algorithm : request.against) {
    all.push_back(request);
    all.back().run.spec.jobs.front().algorithm = algorithm;
    all.back().names_algorithm = true;
  }
  return all;
}

/// Prints the memory of a step, and warns of one that does not fit, which no other command runs.
int print_memory(const TrainRequest& request) {
  const int ranks = static_cast<int>(request.run.spec.jobs.front().ranks.size());
  const training::MemoryPlan plan = training::memory_plan(request.model, request.params, ranks);
  std::cout << memory_table(request.model, plan) << std::flush;
  const std::string lack = training::lack_of_memory(request.model, request.params, ranks);
  if (!lack.empty()) std::cerr << "tributary: warning: " << lack << "\n";
  return exit_done;
}

int write_graph(const TaskGraph& graph, const std::string& path) {
  std::ostringstream text;
  training::write_graph_yaml(graph, text);
  replace_file(path, text.str());
  return exit_done;
}

/// Returns what the comparison of algorithms prints of a step.
AlgorithmStep summary_of(const TrainRequest& request, const TrainStep& step, const TrainOutcome& outcome) {
  AlgorithmStep summary;
  summary.algorithm = request.run.spec.jobs.front().algorithm;
  summary.status = outcome.status, summary.cause = outcome.cause;
  summary.spread = outcome.spread;
  if (outcome.status != Status::done) return summary;
  const training::StepReport report = training::report(step.graph, *outcome.run);
  summary.iteration = report.iterations.back(), summary.period = report.period();
  return summary;
}

void print_results(const TrainRequest& request, const TrainStep& step, const TrainOutcome& outcome,
                   const std::vector<AlgorithmStep>& against, const TimeUsed& used) {
  const bool done = outcome.status == Status::done;
  const training::StepReport report = done ? training::report(step.graph, *outcome.run) : training::StepReport{};
  const IdealRun alone = carry_out(
      step, [](const training::Task&) { return training::TransferTime{}; }, 0);
  const Tick alone_period = training::report(step.graph, alone).period();
  TrainResult result{request.run.spec, request.params,     step,           report,      outcome.transfers,
                     alone_period,     outcome.parameters, outcome.kernel, outcome.full};
  result.slowed = done && outcome.run->slowed;
  result.against = against;
  if (done) result.in_flight = training::operations_in_flight(step.graph, *outcome.run);
  result.spread = outcome.spread;
  result.pairs = outcome.pairs;
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
  if (!request.write_graph.empty()) return write_graph(step_of(request).graph, request.write_graph);
  const std::vector<TrainRequest> others = requests_against(request);
  std::vector<std::unique_ptr<PreparedStep>> steps;
  steps.push_back(std::make_unique<PreparedStep>(request));
  for (const TrainRequest& other : others) steps.push_back(std::make_unique<PreparedStep>(other));
  TrainOutcome outcome;
  std::vector<AlgorithmStep> against;
  try {
    for (const auto& step : steps) step->elaborate();
    print_notes(request, steps);
    outcome = steps.front()->run();
    for (std::size_t k = 0; k < others.size() && outcome.status == Status::done; ++k)
      against.push_back(summary_of(others[k], steps[k + 1]->step(), steps[k + 1]->run()));
  } catch (const std::bad_alloc&) {
    outcome = no_machine(request);
  }
  print_results(request, steps.front()->step(), outcome, against, used);
  const bool ended = std::all_of(against.begin(), against.end(), [](const auto& a) { return a.status == Status::done; });
  if (outcome.status != Status::done || !ended) return exit_unfinished;
  return print_observer_notes(exit_done, outcome.observer_notes);
}

}  // namespace tributary
