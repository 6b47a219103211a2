#include "testbench/run/memo_transfers.h"

#include <algorithm>
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
  RunSpec spec;
  std::unique_ptr<Runner> runner;
};

MemoTransfers::MemoTransfers(const RunSpec& base, const TaskGraph& graph, const training::SoftwareCollectiveParams& ring)
    : ring_(ring), unused_(base.parameters) {
  std::map<std::string, std::size_t> kinds;
  for (const training::Task& task : graph.tasks) {
    if (task.kind != TaskKind::collective && task.kind != TaskKind::send) continue;
    if (alone(graph, task)) continue;
    const Bytes size = bytes(std::max(task.transfer.bytes, smallest_message));
    const auto [at, fresh] = by_key_.emplace(key_of(task, size), transfers_.size());
    if (!fresh) {
      ++transfers_[at->second].operations;
      continue;
    }
    MemoTransfer& transfer = transfers_.emplace_back();
    transfer.job = job_of(base, graph, task, task.rank);
    transfer.size = size;
    transfer.operations = 1;
    std::string kind = transfer.job.collective + " " + transfer.job.algorithm + " " + std::to_string(transfer.job.root) +
                       " " + std::to_string(static_cast<int>(transfer.job.type));
    for (int rank : transfer.job.ranks) kind += "," + std::to_string(rank);
    const auto [where, new_kind] = kinds.emplace(kind, kinds_.size());
    if (new_kind) {
      kinds_.push_back(std::make_unique<Kind>());
      kinds_.back()->spec = base;
      kinds_.back()->spec.jobs = {transfer.job};
      kinds_.back()->spec.data = DataMode::none;
    }
    auto& items = kinds_[where->second]->spec.jobs.front().items;
    place_.emplace_back(where->second, items.size());
    items.push_back({task.name, size});
  }
  constexpr std::size_t most_platforms = 64;
  if (kinds_.size() > most_platforms)
    throw InputError("the graph has collectives of " + std::to_string(kinds_.size()) + " kinds and groups (legal: up to " +
                     std::to_string(most_platforms) + ")");
  const SilentNames silent;
  for (const auto& kind : kinds_) {
    if (interrupt_requested()) return;  // then nothing runs, either
    elaborate(*kind, kind->spec.jobs.front().ranks.size() < base.jobs.front().ranks.size());
  }
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    MemoTransfer& transfer = transfers_[i];
    transfer.job.algorithm = kinds_[place_[i].first]->spec.jobs.front().algorithm;
    if (is_software(transfer.job)) transfer.software = training::software_time(ring_, steps_of(transfer.job, transfer.size));
  }
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

JobSpec MemoTransfers::job_of(const RunSpec& base, const TaskGraph& graph, const training::Task& task, int rank) const {
  const JobSpec& all = base.jobs.front();
  JobSpec job;
  const bool send = task.kind == TaskKind::send;
  job.collective = send ? "broadcast" : task.transfer.collective;
  job.algorithm = method_of(base, job.collective, task.transfer.algorithm.empty() ? all.algorithm : task.transfer.algorithm);
  job.type = task.transfer.type;
  job.root = task.transfer.root;
  const std::vector<int> members = send ? std::vector<int>{rank, task.transfer.peer} : graph.groups.at(task.group).ranks;
  for (int member : members) job.ranks.push_back(all.ranks.at(static_cast<std::size_t>(member)));
  return job;
}

ResultRow MemoTransfers::run(std::size_t i, const Runner::Progress& progress) {
  const auto [kind, message] = place_.at(i);
  Runner& runner = *kinds_[kind]->runner;
  runner.on_progress(progress);
  ResultRow row = runner.run(message).front();
  transfers_[i].time = row.time;
  transfers_[i].bound_GBps = row.bound_GBps;
  transfers_[i].wire_bytes = row.wire_bytes;
  if (row.status == Status::done) keep_loads(transfers_[i], row);
  transfers_[i].limit = row.limit;
  return row;
}

/// Shares of the time of the packets, and so less of one to which software adds.
void MemoTransfers::keep_loads(MemoTransfer& transfer, const ResultRow& row) {
  const double busy = static_cast<double>(transfer.time), all = static_cast<double>(transfer.time + transfer.software);
  transfer.links.clear(), transfer.loads.clear();
  for (const LinkUse& link : row.links) {
    if (link.bytes == 0) continue;
    const std::uint32_t number = link_number_.emplace(link.name, link_number_.size()).first->second;
    transfer.links.push_back(link);
    transfer.loads.push_back({number, all > 0 ? link.utilisation * busy / all : 0});
  }
}

training::TransferTime MemoTransfers::time_of(const training::Task& task) const {
  const Bytes size = bytes(std::max(task.transfer.bytes, smallest_message));
  const auto at = by_key_.find(key_of(task, size));
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
