#include "testbench/family/blink/searches.h"

#include "modules/base/parameter_set.h"
#include "testbench/family/blink/job_schedule.h"
#include "testbench/family/blink/job_trees.h"
#include "testbench/family/blink/parameters.h"
#include "testbench/family/blink/resolve.h"
#include "testbench/family/blink/servers.h"
#include "testbench/run/run_spec.h"

namespace tributary {

// Runs with different texts may still share trees: those of an all-reduce and of an undirected all-gather are equal.
std::string BlinkSearches::key(const RunSpec& spec) const {
  std::string text;
  for (const JobSpec& job : spec.jobs) {
    if (!has_trees(job)) continue;
    text += job.collective + " " + job.algorithm + " " + std::to_string(job.root) + ":";
    for (const int rank : job.ranks) text += " " + std::to_string(rank);
    text += "\n";
  }
  if (text.empty()) return text;
  TreegenParams treegen = spec.parameters.of<BlinkParams>().codegen.treegen;
  for (const ParameterField& field : ParameterSet(treegen).fields()) text += field.print() + " ";
  return spec.platform.name() + "\n" + text;
}

void BlinkSearches::make(const RunSpec& spec) const {
  if (spec.trees == nullptr) return;
  const BlinkParams params = resolve_blink(spec, spec.parameters.of<BlinkParams>());
  const topology::ServerGraph servers = servers_of(spec.platform, params.platform);
  const ServerWires wires(servers, params.platform);
  for (const JobSpec& job : spec.jobs)
    if (has_trees(job)) trees_of(tree_algorithm(job.collective, job.algorithm), job, wires, params.codegen, *spec.trees);
}

}  // namespace tributary
