#include "testbench/cli/commands/train_checks.h"

#include <algorithm>
#include <vector>

#include "modules/base/readable.h"
#include "testbench/run/family.h"
#include "testbench/run/free_memory.h"
#include "testbench/run/training/step_offer.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/graph_size.h"

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

/// True if a rank may represent those of its stage: flows of classes have equal times for all of them. A step by packets has
/// all ranks, because no platform can be elaborated after a measurement that finds ranks unlike.
bool represents(const TrainRequest& request, Ranks ranks) {
  return ranks == Ranks::alike && request.fidelity != Fidelity::full && request.write_graph.empty() &&
         request.run.spec.mode == SimulationMode::fluid && !family_of(request.run.spec.platform).has_packets();
}

/// Refuses a graph of all ranks that does not fit into the memory.
void check_size(const TaskGraph& of_classes, std::size_t ranks) {
  const std::uint64_t needed = training::size_of_all(of_classes).bytes();
  const FreeMemory free = free_memory();
  if (needed > free.bytes)
    throw InputError("the graph of " + std::to_string(ranks) + " ranks needs " + readable_bytes(needed) +
                     " of memory, and " + readable_bytes(free.bytes) + " are free in the " + free.where +
                     " (legal: fewer ranks, fewer passes, or on clusters no compute.jitter and no compute.factors)");
}

TrainStep model_step(const TrainRequest& request, Ranks ranks) {
  const JobSpec& job = request.run.spec.jobs.front();
  const auto build = [&](bool classes) {
    return training::train_step(request.model, request.params, static_cast<int>(job.ranks.size()), job.algorithm,
                                request.run.spec.seed, classes);
  };
  constexpr std::size_t few_ranks = 128;
  const bool classes = represents(request, ranks);
  if (job.ranks.size() > few_ranks) {
    TrainStep step = build(true);
    if (classes && !step.stragglers.any()) return step;
    check_size(step.graph, job.ranks.size());
  }
  return build(classes);
}

TrainStep read_step(const TrainRequest& request) {
  const JobSpec& job = request.run.spec.jobs.front();
  TrainStep step =
      training::graph_step(request.graph, request.params, static_cast<int>(job.ranks.size()), request.run.spec.seed);
  check_algorithm(request.run.spec, step.graph, request.graph);
  return step;
}

}  // namespace

TrainStep step_of(const TrainRequest& request, Ranks ranks) {
  TrainStep step = request.graph.empty() ? model_step(request, ranks) : read_step(request);
  try {
    training::check(step.graph);
  } catch (const InputError& error) {
    throw InputError((request.graph.empty() ? "model " + step.name : request.graph) + ": " + error.what());
  }
  return step;
}

std::string refusal_of_devices(const TrainRequest& request, const TrainStep& step) {
  if (request.fidelity == Fidelity::isolated) return "--fidelity isolated was given";
  if (request.fidelity == Fidelity::pairs) return "--fidelity pairs was given";
  if (request.params.compute.memory_share > 0) return "devices do not model compute.memory_share";
  if (request.run.spec.mode == SimulationMode::fluid) return "it is by flows (legal: a platform and a --mode with packets)";
  return refusal_of_step(request.run.spec, step.graph, step.stragglers, request.params.ring);
}

}  // namespace tributary
