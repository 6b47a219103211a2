#include "testbench/run/training/graph_algorithms.h"

#include <algorithm>
#include <optional>

#include "modules/base/index.h"
#include "platforms/topology/network.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/collective/algorithm/software.h"
#include "testbench/run/family.h"
#include "testbench/run/resolve.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Returns the requested algorithm, or one that has the collective on this platform.
std::string algorithm_of(const topology::PlatformDescription& platform, const std::string& collective,
                         const std::string& asked) {
  const std::vector<Algorithm> algorithms = family_of(platform).algorithms();
  const auto has = [&](const std::string& name) {
    return std::any_of(algorithms.begin(), algorithms.end(),
                       [&](const Algorithm& m) { return m.collective == collective && m.name == name; });
  };
  if (!asked.empty() && has(asked)) return asked;
  for (const Algorithm& m : algorithms)
    if (m.collective == collective) return m.name;
  throw InputError("--platform: " + platform.name() + " has no " + collective + ", which the graph needs");
}

/// Returns true if the job's algorithm has a route between its ranks. Trees of networks need adjacent members. The check
/// does not elaborate the platform, which could not be removed again.
bool has_route(const topology::PlatformDescription& platform, const JobSpec& job) {
  if (collective::find_network_algorithm(job.collective, job.algorithm) == nullptr) return true;
  std::optional<topology::Network> network;
  try {
    network = topology::network(platform);
  } catch (const std::exception&) {
    return true;  // not a network
  }
  try {
    collective::network_schedule(*network, {job.collective, job.algorithm, job.ranks, job.root});
    return true;
  } catch (const collective::ScheduleError&) {
    return false;
  }
}

}  // namespace

/// Returns true if the checks of a run accept the job.
bool GraphAlgorithms::runs(const JobSpec& job) {
  const auto [known, fresh] = known_.emplace(std::tuple(job.collective, job.algorithm, job.ranks), false);
  if (!fresh) return known->second;
  if (!has_route(run_.platform, job)) return false;
  run_.jobs = {job};
  run_.jobs.front().items = {{"", bytes(element_size(job.type) * job.ranks.size())}};
  try {
    resolve_parameters(run_);
    known->second = true;
  } catch (const std::runtime_error&) {
  } catch (const std::invalid_argument&) {
  }
  return known->second;
}

bool is_software(const JobSpec& job) { return collective::find_software(job.collective, job.algorithm) != nullptr; }

JobSpec GraphAlgorithms::job_of(const training::Task& task, const std::vector<int>& members) {
  JobSpec job;
  job.collective = task.kind == training::TaskKind::send ? "broadcast" : task.transfer.collective;
  job.algorithm = algorithm_of(run_.platform, job.collective,
                               task.transfer.algorithm.empty() ? all_.algorithm : task.transfer.algorithm);
  job.type = task.transfer.type;
  job.root = task.transfer.root;
  for (int member : members) job.ranks.push_back(all_.ranks.at(at(member)));
  if (job.ranks.size() == all_.ranks.size() || runs(job)) return job;
  const std::string asked = job.algorithm;
  for (const Algorithm& m : family_of(run_.platform).algorithms()) {
    if (m.collective != job.collective) continue;
    job.algorithm = m.name;
    if (!runs(job)) continue;
    const std::string note = job.collective + " by " + asked + " does not run between the " +
                             std::to_string(job.ranks.size()) + " ranks of some groups, which run by " + job.algorithm;
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
    return job;
  }
  job.algorithm = asked;  // the error of this algorithm gives the reason
  return job;
}

}  // namespace tributary
