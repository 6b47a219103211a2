#include "testbench/run/training/isolated_transfers.h"

#include <algorithm>
#include <optional>

#include "testbench/collective/algorithm/software.h"
#include "testbench/run/family.h"
#include "testbench/run/interrupt.h"
#include "testbench/run/resolve.h"
#include "testbench/run/training/silent_names.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using training::TaskGraph;

/// Returns the steps of a software schedule; 0 for hardware reduction and for algorithms that model their own software.
std::uint64_t steps_of(const JobSpec& job, Bytes size) {
  if (collective::find_software(job.collective, job.algorithm) == nullptr) return 0;
  const collective::Schedule schedule =
      collective::software_schedule(job.collective, job.algorithm, static_cast<int>(job.ranks.size()), job.root, size.value);
  int last = -1;
  for (const auto& program : schedule.programs)
    for (const collective::Operation& operation : program) last = std::max(last, operation.step);
  return static_cast<std::uint64_t>(last + 1);
}

/// Returns true if the platform can run all jobs concurrently.
bool runs_at_once(const RunSpec& spec) {
  try {
    resolve_parameters(spec);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

struct IsolatedTransfers::Kind {
  RunSpec spec;  ///< one job for each group
  std::unique_ptr<Runner> runner;
  std::map<std::size_t, std::vector<ResultRow>> rows = {};  ///< by message, after its run
};

IsolatedTransfers::IsolatedTransfers(const RunSpec& base, const TaskGraph& graph,
                                     const training::SoftwareCollectiveParams& ring)
    : ring_(ring), algorithms_(base), unused_(base.parameters) {
  const IsolatedGroups groups(graph);
  std::map<std::string, std::size_t> kinds;
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> messages;  // by kind and size
  for (const training::Task& task : graph.tasks) {
    if (!IsolatedGroups::moves(graph, task)) continue;
    const Bytes size = IsolatedGroups::size_of(task);
    const IsolatedGroups::Key key = IsolatedGroups::key_of(task);
    const auto [at, fresh] = by_key_.emplace(key, transfers_.size());
    const std::size_t operations = IsolatedGroups::stands_for_operation(graph, task) ? 1 : 0;
    if (!fresh) {
      transfers_[at->second].operations += operations;
      continue;
    }
    IsolatedTransfer& transfer = transfers_.emplace_back();
    transfer.job = algorithms_.job_of(task, IsolatedGroups::members_of(graph, task));
    transfer.size = size;
    transfer.operations = operations;
    if (is_software(transfer.job)) transfer.software = training::software_time(ring_, steps_of(transfer.job, size));
    std::vector<JobSpec> jobs;
    for (const std::vector<int>& members : groups.at_once(key)) jobs.push_back(algorithms_.job_of(task, members));
    transfer.together = jobs.size();
    std::string kind = transfer.job.collective + " " + transfer.job.algorithm + " " + std::to_string(transfer.job.root) +
                       " " + std::to_string(static_cast<int>(transfer.job.type));
    for (const JobSpec& job : jobs) {
      kind += ";";
      for (int rank : job.ranks) kind += "," + std::to_string(rank);
    }
    const auto [where, new_kind] = kinds.emplace(kind, kinds_.size());
    if (new_kind) {
      kinds_.push_back(std::make_unique<Kind>());
      kinds_.back()->spec = base;
      kinds_.back()->spec.jobs = jobs;
      kinds_.back()->spec.data = DataMode::none;
    }
    std::vector<JobSpec>& measured = kinds_[where->second]->spec.jobs;
    const auto [message, new_message] =
        messages.emplace(std::pair(where->second, size.value), measured.front().items.size());
    const auto own =
        std::find_if(jobs.begin(), jobs.end(), [&](const JobSpec& job) { return job.ranks == transfer.job.ranks; });
    place_.push_back({where->second, message->second, static_cast<std::size_t>(own - jobs.begin())});
    if (new_message)
      for (JobSpec& job : measured) job.items.push_back({task.name, size});
  }
  const SilentNames silent;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {  // part() may append to kinds_ during this loop
    constexpr std::size_t most_platforms = 64;
    if (kinds_.size() > most_platforms)
      throw InputError("the graph has collectives of " + std::to_string(kinds_.size()) + " kinds and groups (legal: up to " +
                       std::to_string(most_platforms) + ")");
    if (interrupt_requested()) return;  // no run follows either
    Kind& kind = *kinds_[k];
    if (kind.spec.jobs.size() > 1 && !runs_at_once(kind.spec)) part(k);
    kind.runner = make_runner(kind.spec, Elaboration::goes_on);
  }
}

/// Separates groups that the platform cannot run concurrently. They are measured one by one, and share links by their loads.
void IsolatedTransfers::part(std::size_t k) {
  const std::vector<JobSpec> jobs = kinds_[k]->spec.jobs;
  const std::size_t more = kinds_.size();
  for (std::size_t j = 1; j < jobs.size(); ++j) {
    kinds_.push_back(std::make_unique<Kind>());
    kinds_.back()->spec = kinds_[k]->spec;
    kinds_.back()->spec.jobs = {jobs[j]};
  }
  kinds_[k]->spec.jobs = {jobs.front()};
  for (std::size_t i = 0; i < place_.size(); ++i)
    if (Place& place = place_[i]; place.kind == k) {
      transfers_[i].together = 1;
      if (place.job > 0) place.kind = more + place.job - 1, place.job = 0;
    }
}

IsolatedTransfers::~IsolatedTransfers() = default;

ResultRow IsolatedTransfers::run(std::size_t i, const Runner::Progress& progress) {
  const Place& place = place_.at(i);
  Kind& kind = *kinds_[place.kind];
  std::vector<ResultRow>& rows = kind.rows[place.message];
  if (rows.empty()) {
    kind.runner->on_progress(progress);
    rows = kind.runner->run(place.message);
  }
  for (const ResultRow& row : rows)
    if (row.status != Status::done) return row;
  const ResultRow& row = rows.at(place.job);
  IsolatedTransfer& transfer = transfers_[i];
  transfer.time = row.time;
  transfer.bound_GBps = row.bound_GBps;
  transfer.wire_bytes = row.wire_bytes / rows.size();
  Tick until = 0;
  for (const ResultRow& other : rows) until = std::max(until, other.time);
  transfer.bottleneck = row.bottleneck;
  keep_loads(transfer, row, until);
  return row;
}

/// Loads are fractions of the time without software, so they are lower if software adds time. Several concurrent groups have
/// equal parts of their common load until the last one ends, so that they do not slow each other a second time.
void IsolatedTransfers::keep_loads(IsolatedTransfer& transfer, const ResultRow& row, Tick until) {
  const double groups = static_cast<double>(transfer.together);
  const double busy = static_cast<double>(until) / groups, all = static_cast<double>(until + transfer.software);
  transfer.links.clear(), transfer.loads.clear();
  for (const LinkUse& link : row.links) {
    if (link.bytes == 0) continue;
    const std::uint32_t number = link_number_.emplace(link.name, link_number_.size()).first->second;
    transfer.links.push_back({link.name, link.bytes / transfer.together, link.utilisation / groups, link.count});
    transfer.loads.push_back({number, all > 0 ? link.utilisation * busy / all : 0});
  }
}

training::TransferTime IsolatedTransfers::time_of(const training::Task& task) const {
  const auto at = by_key_.find(IsolatedGroups::key_of(task));
  if (at == by_key_.end()) return {};  // a group of one rank
  const IsolatedTransfer& transfer = transfers_.at(at->second);
  const unsigned sms = is_software(transfer.job) ? ring_.multiprocessors : 0;
  return {transfer.time + transfer.software, 0, sms, &transfer.loads};
}

KernelUse IsolatedTransfers::kernel() const {
  KernelUse all;
  for (const auto& kind : kinds_) {
    const KernelUse use = kind->runner->kernel();
    all.packet_hops += use.packet_hops;
    all.events += use.events;
    all.cpu_s = std::max(all.cpu_s, use.cpu_s);
    all.peak_rss_bytes = std::max(all.peak_rss_bytes, use.peak_rss_bytes);
  }
  return all;
}

const RunParameters& IsolatedTransfers::parameters() const {
  return kinds_.empty() ? unused_ : kinds_.front()->runner->parameters();
}

}  // namespace tributary
