#include "testbench/interchange/msccl/import.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "modules/base/index.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/interchange/msccl/execution.h"
#include "testbench/interchange/msccl/proof.h"
#include "testbench/interchange/msccl/reader.h"
#include "testbench/interchange/msccl/received_chunks.h"
#include "testbench/workload/input_error.h"

namespace tributary::msccl {
namespace {

using collective::Operation;
using collective::OperationKind;
using Ids = std::vector<int>;

constexpr const char* file_form = "msccl:";

Ids joined(Ids a, const Ids& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  return a;
}

/// A message that waits in its mailbox for a reduction.
struct Mail {
  int received = 0;  ///< id of the operation
  int peer = 0, chunk = 0, slot = 0, step = 0;
};

/// Dependencies on messages that are received in order to be added. In the file, a thread block continues when such a
/// message has arrived. In a schedule, receiving and adding are one operation, so dependent operations also wait for the
/// sum.
enum class Arrivals : std::uint8_t {
  await_sums,  ///< operations wait for the sum; sums, which would wait for each other, wait only for their messages
  ignore       ///< only the sum waits for such a message
};

class Importer {
 public:
  Importer(const Algorithm& algorithm, const std::string& path, int root, Arrivals arrivals)
      : algorithm_(algorithm),
        path_(path),
        arrivals_(arrivals),
        rule_(rule_of(algorithm)),
        extent_(extent_of(algorithm)),
        graph_(algorithm),
        layout_(algorithm, algorithm.inplace),
        execution_(graph_, layout_, extent_, sums_),
        done_(graph_.nodes().size()),
        summed_(graph_.nodes().size()),
        slots_(graph_.nodes().size()),
        own_(at(algorithm.ranks())),
        mail_(at(algorithm.ranks())),
        level_(at(algorithm.ranks())) {
    schedule_.algorithm = algorithm.name;
    schedule_.ranks = algorithm.ranks();
    schedule_.chunks = rule_.chunks(extent_);
    schedule_.programs.resize(at(algorithm.ranks()));
    for (int c = 0; c < schedule_.chunks; ++c) schedule_.goals.push_back(rule_.goal(extent_, root, c));
    for (int r = 0; r < algorithm.ranks(); ++r)
      for (int c = 0; c < rule_.inputs(extent_); ++c)
        if (const int chunk = rule_.chunk_of(extent_, {r, c}); schedule_.goals[at(chunk)].starts_at(r))
          own_[at(r)][chunk] = sums_.of({r, c});
  }

  collective::Schedule run() {
    const std::vector<std::size_t> order = graph_.side_by_side();
    takes_ = takes_of(graph_, layout_, order);
    for (const std::size_t node : order) take(node);
    for (const auto& [ends, count] : messages_) schedule_.slots = std::max(schedule_.slots, count);
    return std::move(schedule_);
  }

 private:
  [[noreturn]] void fail(std::size_t node, const std::string& what) const {
    throw InputError(path_ + ":" + std::to_string(graph_.step(node).line) + ": " + graph_.text(node) + " " + what +
                     " (legal in a run: chunks that are received, added to the own chunk and sent on)");
  }

  int chunk_of(std::size_t node, int value) const {
    const auto& terms = sums_.terms(value);
    const auto chunk = [&](const auto& term) { return rule_.chunk_of(extent_, {term.first.first, term.first.second}); };
    for (const auto& term : terms)
      if (chunk(term) != chunk(terms.front())) fail(node, "adds different chunks");
    return chunk(terms.front());
  }

  /// Checks that the rank's own place of the chunk holds `value`.
  void need_own(std::size_t node, int rank, int chunk, int value) {
    if (own_[at(rank)][chunk] != value)
      fail(node, "uses a value of chunk " + std::to_string(chunk) + ", but gpu " + std::to_string(rank) +
                     " holds another value of it");
  }

  int emit(int rank, OperationKind kind, const Mail& m, Ids deps) {
    std::vector<Operation>& program = schedule_.programs[at(rank)];
    const int id = static_cast<int>(program.size());
    int level = kind == OperationKind::send ? 1 : m.step;
    for (const int d : deps) level = std::max(level, level_[at(rank)][at(d)] + (kind == OperationKind::send ? 1 : 0));
    level_[at(rank)].push_back(level);
    program.push_back({kind, id, m.peer, m.chunk, m.slot, kind == OperationKind::send ? level : m.step, std::move(deps)});
    return id;
  }

  int send(std::size_t node, int chunk, Ids deps) {
    const StepGraph::Node& n = graph_.nodes()[node];
    const int peer = algorithm_.gpus[at(n.gpu)].blocks[at(n.block)].send;
    Mail m{0, peer, chunk, messages_[{n.gpu, peer}]++, 0};
    const int id = emit(n.gpu, OperationKind::send, m, std::move(deps));
    m.step = schedule_.programs[at(n.gpu)][at(id)].step;
    slots_[node].push_back(m);
    return id;
  }

  Mail receive(std::size_t node, int c, const Ids& deps) {
    const StepGraph::Node& n = graph_.nodes()[node];
    Mail m = slots_[n.sender][at(c)];
    m.peer = graph_.nodes()[n.sender].gpu;
    m.received = emit(n.gpu, OperationKind::receive, m, deps);
    return m;
  }

  int put(OperationKind kind, int rank, const Mail& m, const Ids& deps, int value) {
    own_[at(rank)][m.chunk] = value;
    return emit(rank, kind, m, joined(deps, {m.received}));
  }

  void take(std::size_t node) {
    const StepGraph::Node& n = graph_.nodes()[node];
    const Step& step = graph_.step(node);
    Ids deps, sums;
    for (const std::size_t other : {graph_.previous(node), n.depends}) {
      if (other == StepGraph::none) continue;
      deps = joined(std::move(deps), done_[other]);
      sums = joined(std::move(sums), summed_[other]);
    }
    if (arrivals_ == Arrivals::ignore || step.type == StepType::reduce) deps = sums;
    std::vector<int> sources;  // values before the step writes
    std::vector<int> destinations;
    for (int c = 0; c < step.count && step.type != StepType::nop; ++c) {
      const StepTraits& t = traits(step.type);
      sources.push_back(t.reads_source ? execution_.value(n.gpu, layout_.of(n.gpu, step.source, c)) : Sums::nothing);
      destinations.push_back(t.adds_destination ? execution_.value(n.gpu, layout_.of(n.gpu, step.destination, c))
                                                : Sums::nothing);
    }
    execution_.run(node);
    Ids last, last_sums;
    for (std::size_t c = 0; c < sources.size(); ++c)
      if (const auto id = operate(node, static_cast<int>(c), sources[c], destinations[c], deps)) {
        last.push_back(*id);
        const bool waits = step.type == StepType::receive && take_of(node, static_cast<int>(c)) == Take::reduced;
        last_sums = waits ? joined(std::move(last_sums), sums) : joined(std::move(last_sums), {*id});
      }
    done_[node] = last.empty() ? deps : joined({}, last);
    summed_[node] = last.empty() ? sums : last_sums;
  }

  /// Emits the operations of one chunk of a step. Returns the id of the last one, if any.
  std::optional<int> operate(std::size_t node, int c, int source, int destination, const Ids& deps) {
    const StepGraph::Node& n = graph_.nodes()[node];
    const Step& step = graph_.step(node);
    const StepTraits& t = traits(step.type);
    if (t.receives) {
      const int arrived = execution_.sent(n.sender)[at(c)], chunk = chunk_of(node, arrived);
      if (t.reads_source) {
        if (chunk_of(node, source) != chunk) fail(node, "adds different chunks");
        need_own(node, n.gpu, chunk, source);
      }
      const Mail m = receive(node, c, deps);
      if (!t.sends && !t.reads_source && take_of(node, c) != Take::copied) {
        if (take_of(node, c) == Take::reduced) mail_[at(n.gpu)][layout_.of(n.gpu, step.destination, c)] = m;
        return m.received;
      }
      const int taken = t.reads_source ? put(OperationKind::reduce, n.gpu, m, deps, sums_.add(arrived, source))
                                       : put(OperationKind::copy, n.gpu, m, deps, arrived);
      return t.sends ? send(node, chunk, {taken}) : taken;
    }
    if (t.sends) {
      const int chunk = chunk_of(node, source);
      need_own(node, n.gpu, chunk, source);
      return send(node, chunk, deps);
    }
    if (!t.adds_destination) return std::nullopt;
    return reduce(node, c, source, destination, deps);
  }

  /// Emits a local sum of a message and the own chunk.
  int reduce(std::size_t node, int c, int source, int destination, const Ids& deps) {
    const int gpu = graph_.nodes()[node].gpu;
    const Step& step = graph_.step(node);
    auto& waiting = mail_[at(gpu)];
    auto mail = waiting.find(layout_.of(gpu, step.source, c));
    int own = destination;
    if (mail == waiting.end()) mail = waiting.find(layout_.of(gpu, step.destination, c)), own = source;
    if (mail == waiting.end()) fail(node, "adds two chunks of its own");
    const Mail m = mail->second;
    if (chunk_of(node, own) != m.chunk) fail(node, "adds different chunks");
    need_own(node, gpu, m.chunk, own);
    waiting.erase(mail);
    return put(OperationKind::reduce, gpu, m, deps, sums_.add(source, destination));
  }

  Take take_of(std::size_t node, int c) const { return takes_.at({node, c}); }

  const Algorithm& algorithm_;
  const std::string& path_;
  Arrivals arrivals_;
  const CollectiveRule& rule_;
  Extent extent_;
  StepGraph graph_;
  Layout layout_;
  Sums sums_;
  Execution execution_;
  std::vector<Ids> done_;                          ///< [step] operations after which the step is done
  std::vector<Ids> summed_;                        ///< [step] likewise, without messages that wait for their sum
  std::vector<std::vector<Mail>> slots_;           ///< [step] message of each chunk that it sends
  std::vector<std::map<int, int>> own_;            ///< [rank] chunk -> content of its own place
  std::vector<std::map<std::size_t, Mail>> mail_;  ///< [rank] chunk of the file's memory -> message that represents it
  std::vector<std::vector<int>> level_;            ///< [rank][operation] longest chain of messages up to it
  std::map<std::pair<int, int>, int> messages_;    ///< (from, to) -> number of messages
  Takes takes_;
  collective::Schedule schedule_;
};

}  // namespace

ImportedSchedule import_schedule(const Algorithm& algorithm, const std::string& path) {
  const auto prefixed = [&](const auto& get) {
    try {
      return get();
    } catch (const std::exception& error) {
      const std::string what = error.what();
      throw InputError((what.compare(0, path.size() + 1, path + ":") == 0 ? "" : path + ": ") + what);
    }
  };
  const Proof proof = prefixed([&] { return prove(algorithm); });
  if (!proof.proved) throw InputError(path + ": not proved: " + proof.reason.substr(0, proof.reason.find('\n')));
  const CollectiveRule& rule = rule_of(algorithm);
  if (rule.collective == nullptr)
    throw InputError(path + ": coll '" + rule.name + "' is not simulated; it can only be proved");
  ImportedSchedule imported{rule.collective, proof.root, {}, algorithm.protocol, algorithm.min_bytes, algorithm.max_bytes};
  const auto imported_with = [&](Arrivals arrivals) {
    collective::Schedule schedule = Importer(algorithm, path, proof.root, arrivals).run();
    collective::verify_any(schedule);
    collective::verify_any(collective::fuse(schedule));
    return schedule;
  };
  imported.schedule = prefixed([&] {
    try {
      return imported_with(Arrivals::await_sums);
    } catch (const collective::ScheduleError&) {
      return imported_with(Arrivals::ignore);
    }
  });
  return imported;
}

std::vector<std::string> without_effect(const ImportedSchedule& file, Bytes size) {
  std::vector<std::string> lines;
  if (file.protocol != "Simple")
    lines.push_back("proto=\"" + file.protocol + "\" has no effect: messages move without flags in their data");
  if (size.value < file.min_bytes || (file.max_bytes != 0 && size.value > file.max_bytes))
    lines.push_back(to_string(size) + " is outside minBytes=\"" + std::to_string(file.min_bytes) + "\" to maxBytes=\"" +
                    std::to_string(file.max_bytes) + "\", for which the file is meant");
  return lines;
}

bool names_file(const std::string& algorithm) { return algorithm.compare(0, std::strlen(file_form), file_form) == 0; }

ImportedSchedule import_named(const std::string& algorithm) { return import_file(algorithm.substr(std::strlen(file_form))); }

collective::Schedule schedule_of(const JobSpec& job, std::size_t ranks) {
  ImportedSchedule file;
  if (job.imported == nullptr) file = import_named(job.algorithm);
  const std::string& collective = job.imported == nullptr ? file.collective : job.collective;
  const collective::Schedule& schedule = job.imported == nullptr ? file.schedule : *job.imported;
  if (collective != job.collective || at(schedule.ranks) != ranks)
    throw InputError(job.algorithm + ": the file has " + collective + " of " + std::to_string(schedule.ranks) +
                     " ranks, but the job is " + job.collective + " of " + std::to_string(ranks) +
                     " (legal: the collective and the ranks of the file)");
  return schedule;
}

ImportedSchedule import_file(const std::string& path) { return import_schedule(read_algorithm_file(path).algorithm, path); }

}  // namespace tributary::msccl
