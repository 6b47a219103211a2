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

/// Returns the endpoints of all jobs as `endpoints 0-255`; empty if they are all of the run.
std::string ranks_text(const std::vector<JobSpec>& jobs, std::size_t all) {
  std::vector<int> ranks;
  for (const JobSpec& job : jobs) ranks.insert(ranks.end(), job.ranks.begin(), job.ranks.end());
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.size() == all) return "";
  const std::string ends = std::to_string(ranks.front()) + "-" + std::to_string(ranks.back());
  const bool whole = static_cast<std::size_t>(ranks.back() - ranks.front()) + 1 == ranks.size();
  return "endpoints " + ends + (whole ? "" : " (" + std::to_string(ranks.size()) + ")");
}

}  // namespace

struct IsolatedTransfers::Kind {
  /// A message of all jobs after its run.
  struct Measured {
    std::vector<ResultRow> unfinished = {};      ///< the first row whose status is not done
    std::map<std::size_t, ResultRow> rows = {};  ///< by job, of the jobs that transfers refer to
    std::size_t jobs = 0;
    Tick until = 0;  ///< end of the last job
  };
  RunSpec spec;  ///< one job for each group
  std::unique_ptr<Runner> runner = nullptr;
  std::map<std::size_t, Measured> messages = {};  ///< by message
};

struct IsolatedTransfers::Set {
  std::vector<JobSpec> jobs;
  std::string ranks;  ///< in names of classes of links
  std::size_t kind = 0;
};

IsolatedTransfers::IsolatedTransfers(const RunSpec& base, const TaskGraph& graph,
                                     const training::SoftwareCollectiveParams& ring)
    : base_(base), ring_(ring), algorithms_(base), unused_(base.parameters) {
  const IsolatedGroups groups(graph);
  std::map<std::size_t, Set> sets;
  for (const training::Task& task : graph.tasks) {
    if (!IsolatedGroups::moves(graph, task)) continue;
    const IsolatedGroups::Key key = IsolatedGroups::key_of(task);
    const auto [at, fresh] = by_key_.emplace(key, transfers_.size());
    if (fresh) {
      const IsolatedGroups::Place place = groups.place(key);
      auto set = sets.find(place.set);
      if (set == sets.end()) set = sets.emplace(place.set, set_of(task, groups.sets()[place.set], graph)).first;
      add(task, graph.represented(task), set->second, place.first);
    }
    if (IsolatedGroups::stands_for_operation(graph, task)) transfers_[at->second].operations += graph.represented(task);
  }
  make_runners();
}

/// Returns the jobs of groups that run concurrently. Groups that a group represents run by its algorithm.
IsolatedTransfers::Set IsolatedTransfers::set_of(const training::Task& task,
                                                 const std::vector<IsolatedGroups::Ranks>& groups, const TaskGraph& graph) {
  Set set;
  for (const IsolatedGroups::Ranks& members : groups) {
    const bool alike = !graph.representatives.empty() && !set.jobs.empty();
    set.jobs.push_back(alike ? algorithms_.on_ranks(set.jobs.front(), members) : algorithms_.job_of(task, members));
  }
  if (base_.mode == SimulationMode::fluid && !family_of(base_.platform).has_packets())
    set.ranks = ranks_text(set.jobs, base_.jobs.front().ranks.size());
  std::vector<JobSpec> measured = set.jobs;
  algorithms_.shift_to_first(measured);
  std::string kind;
  for (const JobSpec& job : measured) {
    kind += job.collective + " " + job.algorithm + " " + std::to_string(job.root) + " " +
            std::to_string(static_cast<int>(job.type));
    for (const int rank : job.ranks) kind += "," + std::to_string(rank);
    kind += ";";
  }
  const auto [known, fresh] = kind_named_.emplace(kind, kinds_.size());
  set.kind = known->second;
  if (!fresh) return set;
  kinds_.push_back(std::make_unique<Kind>());
  kinds_.back()->spec = base_;
  kinds_.back()->spec.jobs = std::move(measured);
  kinds_.back()->spec.data = DataMode::none;
  return set;
}

/// Adds the transfer of a task. `job`: its own in the set.
void IsolatedTransfers::add(const training::Task& task, std::size_t represented, const Set& set, std::size_t job) {
  IsolatedTransfer& transfer = transfers_.emplace_back();
  transfer.job = set.jobs.at(job);
  transfer.size = IsolatedGroups::size_of(task);
  transfer.together = set.jobs.size();
  transfer.represented = represented;
  transfer.ranks = set.ranks;
  if (is_software(transfer.job)) transfer.software = training::software_time(ring_, steps_of(transfer.job, transfer.size));
  std::vector<JobSpec>& measured = kinds_[set.kind]->spec.jobs;
  const auto [message, fresh] = messages_.emplace(std::pair(set.kind, transfer.size.value), measured.front().items.size());
  place_.push_back({set.kind, message->second, job});
  if (fresh)
    for (JobSpec& each : measured) each.items.push_back({task.name, transfer.size});
}

void IsolatedTransfers::make_runners() {
  const SilentNames silent;
  const bool elaborates = base_.mode != SimulationMode::fluid;
  for (std::size_t k = 0; k < kinds_.size() && alike_; ++k) {  // part() may append to kinds_ during this loop
    const std::size_t most_platforms = elaborates ? 64 : 4096;
    if (kinds_.size() > most_platforms)
      throw InputError("the graph has collectives of " + std::to_string(kinds_.size()) + " kinds and groups (legal: up to " +
                       std::to_string(most_platforms) + ")");
    if (interrupt_requested()) return;  // no run follows either
    Kind& kind = *kinds_[k];
    if (kind.spec.jobs.size() > 1 && !runs_at_once(kind.spec)) part(k);
    if (alike_) kind.runner = runner_of(k);
  }
}

/// Elaborates the platform of a kind. An error names the first task of the kind and its endpoints.
std::unique_ptr<Runner> IsolatedTransfers::runner_of(std::size_t k) const {
  const RunSpec& spec = kinds_[k]->spec;
  try {
    return make_runner(spec, Elaboration::goes_on);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const auto own = std::find_if(place_.begin(), place_.end(), [&](const Place& place) { return place.kind == k; });
    if (spec.jobs.size() > 1 || own == place_.end()) throw;
    const JobSpec& job = transfers_[static_cast<std::size_t>(own - place_.begin())].job;
    constexpr std::size_t most = 8;
    std::string ranks;
    for (std::size_t r = 0; r < std::min(most, job.ranks.size()); ++r)
      ranks += (r == 0 ? "" : ",") + std::to_string(job.ranks[r]);
    if (job.ranks.size() > most) ranks += ",... (" + std::to_string(job.ranks.size()) + ")";
    const std::string& task = spec.jobs.front().items.front().label;
    throw InputError((task.empty() ? job.collective : task) + " between endpoints " + ranks + ": " + error.what());
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
      alike_ = alike_ && transfers_[i].represented == 1;
      transfers_[i].together = 1;
      if (place.job > 0) place.kind = more + place.job - 1, place.job = 0;
    }
}

IsolatedTransfers::~IsolatedTransfers() = default;

/// Runs a message of a kind.
void IsolatedTransfers::measure(std::size_t number, std::size_t message, const Runner::Progress& progress) {
  Kind& kind = *kinds_[number];
  Kind::Measured& measured = kind.messages[message];
  kind.runner->on_progress(progress);
  const std::vector<ResultRow> rows = kind.runner->run(message);
  measured.jobs = rows.size();
  for (const ResultRow& row : rows) {
    measured.until = std::max(measured.until, row.time);
    if (row.status != Status::done && measured.unfinished.empty()) measured.unfinished = {row};
  }
  for (std::size_t i = 0; i < place_.size(); ++i) {
    const Place& place = place_[i];
    if (place.kind != number || place.message != message) continue;
    measured.rows.emplace(place.job, rows.at(place.job));
    for (std::size_t other = 0; other < transfers_[i].represented; ++other)
      alike_ = alike_ && rows.at(place.job + other).time == rows[place.job].time;
  }
}

ResultRow IsolatedTransfers::run(std::size_t i, const Runner::Progress& progress) {
  const Place& place = place_.at(i);
  Kind& kind = *kinds_[place.kind];
  if (kind.messages.count(place.message) == 0) measure(place.kind, place.message, progress);
  const Kind::Measured& measured = kind.messages.at(place.message);
  if (!measured.unfinished.empty()) return measured.unfinished.front();
  const ResultRow& row = measured.rows.at(place.job);
  IsolatedTransfer& transfer = transfers_[i];
  transfer.time = row.time;
  transfer.bound_GBps = row.bound_GBps;
  transfer.wire_bytes = row.wire_bytes / measured.jobs;
  transfer.bottleneck = row.bottleneck;
  keep_loads(transfer, row, measured.until);
  return row;
}

/// Loads are fractions of the time without software, so they are lower if software adds time. Several concurrent groups have
/// equal parts of their common load until the last one ends, so that they do not slow each other a second time. The load of
/// a group includes those of the groups that it represents. Classes of links are those of the ranks that are concurrent.
void IsolatedTransfers::keep_loads(IsolatedTransfer& transfer, const ResultRow& row, Tick until) {
  const double groups = static_cast<double>(transfer.together), part = static_cast<double>(transfer.represented) / groups;
  const double busy = static_cast<double>(until) * part, all = static_cast<double>(until + transfer.software);
  transfer.links.clear(), transfer.loads.clear();
  for (const LinkUse& link : row.links) {
    if (link.bytes == 0) continue;
    const std::string name = transfer.ranks.empty() ? link.name : link.name + " of " + transfer.ranks;
    const std::uint32_t number = link_number_.emplace(name, link_number_.size()).first->second;
    transfer.links.push_back({name, link.bytes / transfer.together, link.utilisation / groups, link.count});
    transfer.loads.push_back({number, all > 0 ? link.utilisation * busy / all : 0});
  }
}

training::TransferTime IsolatedTransfers::time_of(const training::Task& task) const {
  const auto at = by_key_.find(IsolatedGroups::key_of(task));
  if (at == by_key_.end()) return {};  // a group of one rank
  const IsolatedTransfer& transfer = transfers_.at(at->second);
  const unsigned sms = is_software(transfer.job) ? ring_.multiprocessors : 0;
  training::TransferTime time{transfer.time + transfer.software, 0, sms, &transfer.loads};
  if (transfer.together <= 1) return time;
  const Place& place = place_.at(at->second);
  time.kind = static_cast<std::uint32_t>(1 + place.kind), time.message = static_cast<std::uint32_t>(place.message);
  time.concurrent = static_cast<double>(transfer.together) / static_cast<double>(transfer.represented);
  return time;
}

std::string IsolatedTransfers::one_lane_because() const {
  for (const auto& kind : kinds_)
    if (std::string why = kind->runner ? kind->runner->one_lane_because() : ""; !why.empty()) return why;
  return "";
}

KernelUse IsolatedTransfers::kernel() const {
  KernelUse all;
  for (const auto& kind : kinds_) {
    if (kind->runner == nullptr) continue;  // interrupted
    const KernelUse use = kind->runner->kernel();
    all.packet_hops += use.packet_hops;
    all.events += use.events;
    all.cpu_s = std::max(all.cpu_s, use.cpu_s);
    all.peak_rss_bytes = std::max(all.peak_rss_bytes, use.peak_rss_bytes);
  }
  return all;
}

const RunParameters& IsolatedTransfers::parameters() const {
  return kinds_.empty() || kinds_.front()->runner == nullptr ? unused_ : kinds_.front()->runner->parameters();
}

}  // namespace tributary
