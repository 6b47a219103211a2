#include "testbench/run/memo_transfers.h"

#include <algorithm>
#include <set>
#include <systemc>

#include "testbench/collective/algorithm/software.h"
#include "testbench/run/family.h"
#include "testbench/run/interrupt.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

constexpr std::uint64_t smallest_message = 4;

using training::TaskGraph;
using training::TaskKind;

/// The method that is asked for, or that has the collective on this platform.
std::string method_of(const RunSpec& base, const std::string& collective, const std::string& asked) {
  const std::vector<Method> methods = family_of(base.platform).methods();
  const auto has = [&](const std::string& name) {
    return std::any_of(methods.begin(), methods.end(),
                       [&](const Method& m) { return m.collective == collective && m.name == name; });
  };
  if (!asked.empty() && has(asked)) return asked;
  for (const Method& m : methods)
    if (m.collective == collective) return m.name;
  throw InputError("--platform: " + base.platform + " has no " + collective + ", which the graph needs");
}

/// Steps of a schedule of software; 0 of what hardware reduces, or what models its own software.
std::uint64_t steps_of(const JobSpec& job, Bytes size) {
  if (collective::find_software(job.collective, job.algorithm) == nullptr) return 0;
  const collective::Schedule schedule =
      collective::software_schedule(job.collective, job.algorithm, static_cast<int>(job.ranks.size()), job.root, size.value);
  int last = -1;
  for (const auto& program : schedule.programs)
    for (const collective::Operation& operation : program) last = std::max(last, operation.step);
  return static_cast<std::uint64_t>(last + 1);
}

/// A collective of one rank, which takes no time.
bool alone(const TaskGraph& graph, const training::Task& task) {
  return task.kind == TaskKind::collective && graph.groups.at(task.group).ranks.size() < 2;
}

bool moved(const TaskGraph& graph, const training::Task& task) {
  return (task.kind == TaskKind::collective || task.kind == TaskKind::send) && !alone(graph, task);
}
Bytes size_of(const training::Task& task) { return bytes(std::max(task.transfer.bytes, smallest_message)); }
/// Ranks of the run.
std::vector<int> members_of(const TaskGraph& graph, const training::Task& task) {
  if (task.kind == TaskKind::send) return {task.rank, task.transfer.peer};
  return graph.groups.at(task.group).ranks;
}

/// Platforms of one name: SystemC numbers the second, and says so.
class SilentNames {
 public:
  SilentNames() { sc_core::sc_report_handler::set_actions(sc_core::SC_ID_INSTANCE_EXISTS_, sc_core::SC_DO_NOTHING); }
  ~SilentNames() { sc_core::sc_report_handler::set_actions(sc_core::SC_ID_INSTANCE_EXISTS_, sc_core::SC_UNSPECIFIED); }
  SilentNames(const SilentNames&) = delete;
  SilentNames& operator=(const SilentNames&) = delete;
};

bool is_software(const JobSpec& job) { return collective::find_software(job.collective, job.algorithm) != nullptr; }

}  // namespace

struct MemoTransfers::Kind {
  RunSpec spec;  ///< a job for each group
  std::unique_ptr<Runner> runner;
  std::map<std::size_t, std::vector<ResultRow>> rows = {};  ///< by message, once it has run

  bool part(const RunSpec& base) const { return spec.jobs.front().ranks.size() < base.jobs.front().ranks.size(); }
};

/// Transfers that groups without common ranks have at the same place of the graph, by key: members of each group.
class MemoTransfers::Together {
 public:
  Together(const MemoTransfers& all, const TaskGraph& graph) {
    std::map<std::string, Set> places;
    for (const training::Task& task : graph.tasks)
      if (moved(graph, task))
        places[place_of(graph, task)].emplace(all.key_of(task, size_of(task)), members_of(graph, task));
    for (const auto& [place, set] : places) {
      const bool apart = disjoint(set);
      for (const auto& [key, members] : set) {
        const Set one{{key, members}};
        const auto [known, fresh] = sets_.emplace(key, apart ? set : one);
        if (!fresh && known->second != (apart ? set : one)) known->second = one;  // not always beside the same
      }
    }
  }

  /// In an order that is the same for all of them.
  std::vector<std::vector<int>> with(const Key& key) const {
    std::vector<std::vector<int>> members;
    for (const auto& [other, ranks] : sets_.at(key))
      if (sets_.at(other) == sets_.at(key)) members.push_back(ranks);
    return members;
  }

 private:
  using Set = std::map<Key, std::vector<int>>;

  /// Tasks without a name are at places of their own.
  static std::string place_of(const training::TaskGraph& graph, const training::Task& t) {
    if (t.name.empty()) return std::to_string(&t - graph.tasks.data());
    return t.name + "\n" + std::to_string(t.iteration) + " " + std::to_string(t.micro_batch) + " " +
           std::to_string(t.layer) + " " + std::to_string(t.stream) + " " + t.transfer.collective + " " +
           t.transfer.algorithm + " " + std::to_string(static_cast<int>(t.transfer.type)) + " " +
           std::to_string(t.transfer.root) + " " + std::to_string(t.transfer.bytes);
  }
  static bool disjoint(const Set& set) {
    std::set<int> seen;
    for (const auto& [key, members] : set)
      for (const int rank : members)
        if (!seen.insert(rank).second) return false;
    return true;
  }

  std::map<Key, Set> sets_;
};

MemoTransfers::MemoTransfers(const RunSpec& base, const TaskGraph& graph, const training::SoftwareCollectiveParams& ring)
    : ring_(ring), unused_(base.parameters) {
  const Together together(*this, graph);
  std::map<std::string, std::size_t> kinds;
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> messages;  // by kind and size
  for (const training::Task& task : graph.tasks) {
    if (!moved(graph, task)) continue;
    const Bytes size = size_of(task);
    const Key key = key_of(task, size);
    const auto [at, fresh] = by_key_.emplace(key, transfers_.size());
    if (!fresh) {
      ++transfers_[at->second].operations;
      continue;
    }
    MemoTransfer& transfer = transfers_.emplace_back();
    transfer.job = job_of(base, task, members_of(graph, task));
    transfer.size = size;
    transfer.operations = 1;
    std::vector<JobSpec> jobs;
    for (const std::vector<int>& members : together.with(key)) jobs.push_back(job_of(base, task, members));
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
  for (std::size_t k = 0; k < kinds_.size(); ++k) {  // of which there may be more meanwhile
    constexpr std::size_t most_platforms = 64;
    if (kinds_.size() > most_platforms)
      throw InputError("the graph has collectives of " + std::to_string(kinds_.size()) + " kinds and groups (legal: up to " +
                       std::to_string(most_platforms) + ")");
    if (interrupt_requested()) return;  // then nothing runs, either
    if (kinds_[k]->spec.jobs.size() == 1)
      elaborate(*kinds_[k], kinds_[k]->part(base));
    else
      elaborate_together(k);
  }
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    MemoTransfer& transfer = transfers_[i];
    transfer.job.algorithm = kinds_[place_[i].kind]->spec.jobs.front().algorithm;
    if (is_software(transfer.job)) transfer.software = training::software_time(ring_, steps_of(transfer.job, transfer.size));
  }
}

/// Groups that the platform does not run at once are measured one by one, and share links by their loads.
void MemoTransfers::elaborate_together(std::size_t k) {
  try {
    kinds_[k]->runner = make_runner(kinds_[k]->spec, Elaboration::goes_on);
    return;
  } catch (const std::exception&) {  // what is wrong with one of them is said when that is made
  }
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
  elaborate(*kinds_[k], true);
}

/// A part of the ranks may be no neighbours, and so need another algorithm than all of them: the first that the platform
/// carries out.
void MemoTransfers::elaborate(Kind& kind, bool part) {
  JobSpec& job = kind.spec.jobs.front();
  const std::string asked = job.algorithm;
  try {
    kind.runner = make_runner(kind.spec, Elaboration::goes_on);
    return;
  } catch (const std::exception& refused) {
    if (!part) throw;
    notes_.push_back(refused.what());
  }
  for (const Method& m : family_of(kind.spec.platform).methods()) {
    if (m.collective != job.collective || m.name == asked) continue;
    job.algorithm = m.name;
    try {
      kind.runner = make_runner(kind.spec, Elaboration::goes_on);
    } catch (const std::exception&) {
      continue;
    }
    notes_.back() += "; these " + std::to_string(job.ranks.size()) + " ranks run " + job.collective + " by " + m.name;
    return;
  }
  throw InputError(notes_.back());
}

MemoTransfers::~MemoTransfers() = default;

MemoTransfers::Key MemoTransfers::key_of(const training::Task& task, Bytes size) const {
  const training::Transfer& t = task.transfer;
  const bool send = task.kind == TaskKind::send;
  return t.collective + " " + t.algorithm + " " + std::to_string(static_cast<int>(t.type)) + " " + std::to_string(t.root) +
         " " + (send ? std::to_string(task.rank) + ">" + std::to_string(t.peer) : std::to_string(task.group)) + " " +
         std::to_string(size.value);
}

JobSpec MemoTransfers::job_of(const RunSpec& base, const training::Task& task, const std::vector<int>& members) const {
  const JobSpec& all = base.jobs.front();
  JobSpec job;
  job.collective = task.kind == TaskKind::send ? "broadcast" : task.transfer.collective;
  job.algorithm = method_of(base, job.collective, task.transfer.algorithm.empty() ? all.algorithm : task.transfer.algorithm);
  job.type = task.transfer.type;
  job.root = task.transfer.root;
  for (int member : members) job.ranks.push_back(all.ranks.at(static_cast<std::size_t>(member)));
  return job;
}

ResultRow MemoTransfers::run(std::size_t i, const Runner::Progress& progress) {
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
  MemoTransfer& transfer = transfers_[i];
  transfer.time = row.time;
  transfer.bound_GBps = row.bound_GBps;
  transfer.wire_bytes = row.wire_bytes / rows.size();
  Tick until = 0;
  for (const ResultRow& other : rows) until = std::max(until, other.time);
  keep_loads(transfer, row, until);
  return row;
}

/// Shares of the time of the packets, and so less of one to which software adds. Of what several groups take together each
/// has an equal part.
void MemoTransfers::keep_loads(MemoTransfer& transfer, const ResultRow& row, Tick until) {
  const double groups = static_cast<double>(transfer.together);
  const double busy = static_cast<double>(until) / groups, all = static_cast<double>(transfer.time + transfer.software);
  transfer.links.clear(), transfer.loads.clear();
  for (const LinkUse& link : row.links) {
    if (link.bytes == 0) continue;
    const std::uint32_t number = link_number_.emplace(link.name, link_number_.size()).first->second;
    transfer.links.push_back({link.name, link.bytes / transfer.together, link.utilisation / groups});
    transfer.loads.push_back({number, all > 0 ? link.utilisation * busy / all : 0});
  }
}

training::TransferTime MemoTransfers::time_of(const training::Task& task) const {
  const auto at = by_key_.find(key_of(task, size_of(task)));
  if (at == by_key_.end()) return {};  // of one rank
  const MemoTransfer& transfer = transfers_.at(at->second);
  const unsigned sms = is_software(transfer.job) ? ring_.multiprocessors : 0;
  return {transfer.time + transfer.software, 0, sms, &transfer.loads};
}

KernelUse MemoTransfers::kernel() const {
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

const RunParameters& MemoTransfers::parameters() const {
  return kinds_.empty() ? unused_ : kinds_.front()->runner->parameters();
}

}  // namespace tributary
