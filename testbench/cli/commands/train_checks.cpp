#include "testbench/cli/commands/train_checks.h"

#include <algorithm>
#include <vector>

#include "testbench/run/family.h"
#include "testbench/run/training/step_offer.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/graph_check.h"

namespace tributary {

using training::TaskGraph;
using training::TrainStep;

namespace {

/// Refuses an algorithm of none of the graph's collectives. The others run by a default algorithm.
void check_algorithm(const RunSpec& spec, const TaskGraph& graph, const std::string& path) {
  const JobSpec& job = spec.jobs.front();
  if (job.collective == JobSpec{}.collective) return;
  const std::vector<Algorithm> known = family_of(spec.platform).algorithms();
  const bool used = std::any_of(known.begin(), known.end(), [&](const Algorithm& a) {
    return a.name == job.algorithm && std::any_of(graph.tasks.begin(), graph.tasks.end(), [&](const training::Task& task) {
             return task.transfer.collective == a.collective;
           });
  });
  if (!used)
    throw InputError("--algorithm: no collective of " + path + " has an algorithm '" + job.algorithm +
                     "' (legal: an algorithm of one of its collectives)");
}

}  // namespace

TrainStep step_of(const TrainRequest& request) {
  const JobSpec& job = request.run.spec.jobs.front();
  const int ranks = static_cast<int>(job.ranks.size());
  const std::uint64_t seed = request.run.spec.seed;
  TrainStep step = request.graph.empty() ? training::train_step(request.model, request.params, ranks, job.algorithm, seed)
                                         : training::graph_step(request.graph, request.params, ranks, seed);
  if (!request.graph.empty()) check_algorithm(request.run.spec, step.graph, request.graph);
  try {
    training::check(step.graph);
  } catch (const InputError& error) {
    throw InputError((request.graph.empty() ? "model " + step.name : request.graph) + ": " + error.what());
  }
  return step;
}

std::string refusal_of_devices(const TrainRequest& request, const TrainStep& step) {
  if (request.fidelity == Fidelity::isolated) return "--fidelity isolated was given";
  if (request.params.compute.memory_share > 0) return "devices do not model compute.memory_share";
  return refusal_of_step(request.run.spec, step.graph, step.stragglers, request.params.ring);
}

}  // namespace tributary
