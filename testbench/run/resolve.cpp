#include "testbench/run/resolve.h"

#include <algorithm>
#include <map>

#include "testbench/run/errors.h"
#include "testbench/run/facets/algorithms.h"
#include "testbench/run/facets/background.h"
#include "testbench/run/family.h"
#include "testbench/run/replaced_blocks.h"
#include "testbench/workload/value_stream.h"

namespace tributary {
namespace {

constexpr std::size_t most_jobs = 64, most_jobs_by_flows = 65536;

/// Returns `nvswitch.*, watchdog.* and prices ...`. Single parameters have no star.
std::string legal_parameters(const Family& family, const ParameterSet& set) {
  std::string legal;
  for (const std::string& group : family.parameter_prefixes()) {
    const auto is_single = [&](const ParameterField& field) { return field.path == group; };
    legal += group + (std::any_of(set.fields().begin(), set.fields().end(), is_single) ? ", " : ".*, ");
  }
  return legal + "watchdog.* and prices (energy.*, area.*, technology.*)";
}

/// Refuses parameters that the platform does not have.
void check_parameters(const Family& family, const RunSpec& spec) {
  RunParameters params = spec.parameters;
  const ParameterSet set = params.fields();
  for (const ParameterField& field : set.fields())
    if (!field.is_default() && !has_parameter(family, field.path))
      throw SetupError(field.path + " is set, which " + spec.platform.name() +
                       " does not have; legal: " + legal_parameters(family, set));
}

void check_target(const Family& family, const RunSpec& spec, int endpoints) {
  const int target = *spec.background_target;
  if (target >= 0 && target < endpoints) return;
  throw SetupError(std::string("background traffic into ") + family.endpoint_of(spec.platform).device +
                   std::to_string(target) + ", which " + spec.platform.name() + " does not have; legal: 0 to " +
                   std::to_string(endpoints - 1));
}

void check_capabilities(const Family& family, const RunSpec& spec) {
  const FamilyFacets can = family.facets();
  if (!spec.faults.empty() && can.link_faults == nullptr)
    throw SetupError("faults of links are not modelled on " + spec.platform.name() + "; legal: no --fault");
  if (!spec.frame_faults.empty() && can.frames == nullptr)
    throw SetupError("links of " + spec.platform.name() + " carry no Ethernet frames; legal: no faults of frames");
  if (!spec.capture.file.empty() && can.capture == nullptr)
    throw SetupError("packets of " + spec.platform.name() + " have no bytes of Ethernet frames; legal: no --pcap");
  if (can.tasks == nullptr &&
      std::any_of(spec.jobs.begin(), spec.jobs.end(), [](const JobSpec& j) { return j.step != nullptr; }))
    throw SetupError("--fidelity full: endpoints of " + spec.platform.name() +
                     " execute no tasks; legal: --fidelity isolated");
  if (spec.trace.block && can.trace == nullptr)
    throw SetupError("no block can be followed on " + spec.platform.name() + "; legal: no --trace-block");
  if (spec.background_load > 0 && can.background == nullptr)
    throw SetupError("background traffic is not modelled on " + spec.platform.name() + "; legal: no --background");
  if (!spec.background_target) return;
  const int targets = can.background != nullptr ? can.background->targets(spec.platform) : 0;
  if (targets == 0)
    throw SetupError("background traffic of " + spec.platform.name() + " cannot go to one endpoint; legal: uniform:LOAD");
  check_target(family, spec, targets);
}

void check_jobs(const Family& family, const RunSpec& spec) {
  const std::size_t most = spec.mode == SimulationMode::fluid ? most_jobs_by_flows : most_jobs;
  if (spec.jobs.empty() || spec.jobs.size() > most)
    throw SetupError(std::to_string(spec.jobs.size()) + " concurrent jobs; legal: 1 to " + std::to_string(most));
  const EndpointWords words = family.endpoint_of(spec.platform);
  std::map<int, std::size_t> job_of;
  for (std::size_t j = 0; j < spec.jobs.size(); ++j) {
    if (spec.jobs[j].items.size() != spec.jobs.front().items.size())
      throw SetupError("jobs 0 and " + std::to_string(j) + " have " + std::to_string(spec.jobs.front().items.size()) +
                       " and " + std::to_string(spec.jobs[j].items.size()) + " messages; legal: equal numbers");
    for (const int endpoint : spec.jobs[j].ranks) {
      const auto [other, first] = job_of.emplace(endpoint, j);
      if (!first && other->second != j)
        throw SetupError("jobs " + std::to_string(other->second) + " and " + std::to_string(j) + " both use " +
                         words.device + std::to_string(endpoint) + "; legal: concurrent jobs on disjoint " + words.plural +
                         " (ranks)");
    }
  }
}

/// Refuses sums that cannot be compared with reference values (docs/data.md, Limits).
void check_sums(const RunSpec& spec, const JobSpec& job) {
  if (!collective_of(job.collective).reduces || spec.data == DataMode::none) return;
  if (job.ranks.size() > static_cast<std::size_t>(workload::max_ranks))
    throw SetupError("results of " + std::to_string(job.ranks.size()) + " ranks cannot be checked; legal: at most " +
                     std::to_string(workload::max_ranks) + " ranks, or --no-data");
  if (job.type == ElementType::bf16 && job.op == ReduceOp::sum && spec.data == DataMode::exact &&
      job.ranks.size() > static_cast<std::size_t>(workload::max_exact_bf16_ranks))
    throw SetupError("sums of bf16 are exact for at most " + std::to_string(workload::max_exact_bf16_ranks) +
                     " ranks; legal: --data random, or --no-data");
}

}  // namespace

RunParameters resolve_parameters(const RunSpec& spec) {
  const Family& family = family_of(spec.platform);
  check_parameters(family, spec);
  check_jobs(family, spec);
  check_capabilities(family, spec);
  replaced_blocks(family, spec);
  for (const JobSpec& job : spec.jobs) check_sums(spec, job);
  RunParameters params = spec.parameters;
  family.resolve(spec, params);
  return params;
}

RunParameters check_run(const RunSpec& spec) {
  RunParameters resolved = resolve_parameters(spec);
  if (const FamilyAlgorithms* algorithms = family_of(spec.platform).facets().algorithms)
    algorithms->check_carried(spec, resolved);
  return resolved;
}

}  // namespace tributary
