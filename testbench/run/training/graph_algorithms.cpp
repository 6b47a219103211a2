#include "testbench/run/training/graph_algorithms.h"

#include <algorithm>
#include <optional>

#include "modules/base/index.h"
#include "platforms/topology/network.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/collective/algorithm/software.h"
#include "testbench/run/choices.h"
#include "testbench/run/facets/algorithms.h"
#include "testbench/run/family.h"
#include "testbench/run/resolve.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Returns the reason for which the job's algorithm has no route between its ranks; empty if it has one. Trees of networks
/// need adjacent members. The check does not elaborate the platform, which could not be removed again.
std::string lack_of_route(const topology::PlatformDescription& platform, const JobSpec& job) {
  if (collective::find_network_algorithm(job.collective, job.algorithm) == nullptr) return "";
  std::optional<topology::Network> network;
  try {
    network = topology::network(platform);
  } catch (const std::exception&) {
    return "";  // not a network
  }
  try {
    collective::network_schedule(*network, {job.collective, job.algorithm, job.ranks, job.root});
    return "";
  } catch (const collective::ScheduleError& error) {
    return error.what();
  }
}

}  // namespace

GraphAlgorithms::GraphAlgorithms(const RunSpec& base)
    : run_(base), all_(base.jobs.front()), period_(family_of(base.platform).period(base)) {}

void GraphAlgorithms::note(const Note& note) {
  const auto same = [&](const Note& other) { return other.text == note.text && other.end == note.end; };
  if (std::none_of(notes_.begin(), notes_.end(), same)) notes_.push_back(note);
}

std::vector<std::string> GraphAlgorithms::notes() const {
  std::vector<std::string> all;
  for (const Note& note : notes_)
    all.push_back(note.end.empty() ? note.text : note.text + (ran_.count(note.asked) > 0 ? "some" : "all its") + note.end);
  return all;
}

std::string GraphAlgorithms::refusal() const {
  const auto requested = [&](const Asked& asked) { return asked.second == all_.algorithm; };
  if (std::any_of(ran_.begin(), ran_.end(), requested)) return "";
  for (const auto& [asked, reason] : refused_)
    if (requested(asked)) return reason;
  return "";
}

/// Returns the requested algorithm, or one that has the collective on this platform.
std::string GraphAlgorithms::algorithm_of(const training::Task& task, const std::string& collective) {
  const Family& family = family_of(run_.platform);
  const std::string asked = task.transfer.algorithm.empty() ? all_.algorithm : task.transfer.algorithm;
  const std::vector<Algorithm> algorithms = family.algorithms();
  const auto has = [&](const std::string& name) {
    return std::any_of(algorithms.begin(), algorithms.end(),
                       [&](const Algorithm& m) { return m.collective == collective && m.name == name; });
  };
  if (!asked.empty() && has(asked)) return asked;
  if (const FamilyAlgorithms* const own = family.facets().algorithms; own != nullptr && !asked.empty()) {
    const std::string other = own->substitute(collective, asked);
    if (has(other)) {
      if (task.kind != training::TaskKind::send)
        note({collective + " has no " + asked + " on " + run_.platform.name() + ", and runs by " + other});
      return other;
    }
  }
  if (const auto own = own_default(family, run_.platform, collective, run_.parameters)) return own->name;
  for (const Algorithm& m : algorithms)
    if (m.collective == collective) return m.name;
  throw InputError("--platform: " + run_.platform.name() + " has no " + collective + ", which the graph needs");
}

void GraphAlgorithms::shift_to_first(std::vector<JobSpec>& jobs) const {
  if (period_ == 0) return;
  int least = jobs.front().ranks.front();
  for (const JobSpec& job : jobs) least = std::min(least, *std::min_element(job.ranks.begin(), job.ranks.end()));
  for (JobSpec& job : jobs)
    for (int& rank : job.ranks) rank -= least / period_ * period_;
}

/// Returns the reason for which the checks of a run refuse the job; empty if they accept it.
std::string GraphAlgorithms::refusal_of(JobSpec job) {
  std::vector<JobSpec> jobs{std::move(job)};
  shift_to_first(jobs);
  const JobSpec& first = jobs.front();
  const auto [known, fresh] = known_.emplace(std::tuple(first.collective, first.algorithm, first.ranks), "");
  if (!fresh) return known->second;
  known->second = lack_of_route(run_.platform, first);
  if (!known->second.empty()) return known->second;
  run_.jobs = {first};
  run_.jobs.front().items = {{"", bytes(element_size(first.type) * first.ranks.size())}};
  try {
    resolve_parameters(run_);
  } catch (const std::runtime_error& error) {
    known->second = error.what();
  } catch (const std::invalid_argument& error) {
    known->second = error.what();
  }
  return known->second;
}

bool is_software(const JobSpec& job) { return collective::find_software(job.collective, job.algorithm) != nullptr; }

JobSpec GraphAlgorithms::on_ranks(JobSpec job, const std::vector<int>& members) const {
  job.ranks.clear();
  for (const int member : members) job.ranks.push_back(all_.ranks.at(at(member)));
  return job;
}

JobSpec GraphAlgorithms::job_of(const training::Task& task, const std::vector<int>& members) {
  JobSpec job;
  job.collective = task.kind == training::TaskKind::send ? "broadcast" : task.transfer.collective;
  job.algorithm = algorithm_of(task, job.collective);
  job.type = task.transfer.type;
  job.root = task.transfer.root;
  job = on_ranks(std::move(job), members);
  const std::string asked = job.algorithm;
  const bool whole = job.ranks.size() == all_.ranks.size(), send = task.kind == training::TaskKind::send;
  const std::string reason = whole ? "" : refusal_of(job);
  if (reason.empty()) {
    if (!send) ran_.emplace(job.collective, asked);
    return job;
  }
  if (!send) refused_.emplace(Asked(job.collective, asked), reason);
  for (const Algorithm& m : family_of(run_.platform).algorithms()) {
    if (m.collective != job.collective) continue;
    job.algorithm = m.name;
    if (!refusal_of(job).empty()) continue;
    note({job.collective + " by " + asked + " does not run between the " + std::to_string(job.ranks.size()) + " ranks of ",
          {job.collective, asked},
          " groups, which run by " + job.algorithm});
    return job;
  }
  job.algorithm = asked;  // the error of this algorithm gives the reason
  return job;
}

}  // namespace tributary
