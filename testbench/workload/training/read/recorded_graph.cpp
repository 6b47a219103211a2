#include "testbench/workload/training/read/recorded_graph.h"

#include <algorithm>
#include <map>
#include <utility>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/recorded_compute.h"
#include "testbench/workload/training/read/recorded_ranks.h"

namespace tributary::training {
namespace {

class RecordedGraph {
 public:
  RecordedGraph(const std::vector<RecordedProcess>& processes, const ReadOptions& options, const std::string& path)
      : processes_(processes),
        options_(options),
        path_(path),
        graph_(static_cast<int>(largest())),
        known_(processes, path, graph_.ranks) {}

  TaskGraph build() {
    for (const RecordedProcess& process : processes_) {
      graph_.warnings.insert(graph_.warnings.end(), process.warnings.begin(), process.warnings.end());
      if (process.rank) break;  // other traces have the same
    }
    check_gap();
    if (known_.find()) {
      for (std::size_t p = 0; p < processes_.size(); ++p) add(processes_[p], known_.of(p));
    } else {
      if (processes_.size() > 1)
        graph_.warnings.push_back(path_ + ": the log lacks the ranks of its " + std::to_string(processes_.size()) +
                                  " processes: the first, " + processes_.front().name +
                                  ", represents all (legal for each rank: messages of INIT with commId)" + other_calls());
      else if (graph_.ranks > 1)
        graph_.warnings.push_back(path_ + ": " + processes_.front().name + " represents all " +
                                  std::to_string(graph_.ranks) + " ranks");
      add(processes_.front(), -1);
    }
    if (uneven_ > 0)
      graph_.warnings.push_back(path_ + ": " + std::to_string(uneven_) +
                                " all-to-alls have parts of different sizes: equal parts with the same sum replace them");
    if (empty_ > 0) graph_.warnings.push_back(path_ + ": " + std::to_string(empty_) + " transfers of no bytes are left out");
    if (other_types_ > 0)
      graph_.warnings.push_back(path_ + ": " + std::to_string(other_types_) +
                                " transfers have an element type that is not simulated: i32 of as many bytes replaces it");
    return std::move(graph_);
  }

 private:
  using Groups = std::vector<GroupId>;

  [[noreturn]] static void fail(const RecordedCall& call, const std::string& what) {
    throw InputError(call.place + ": " + what);
  }

  /// Returns the ranks of the run: those that a process states, or those of the largest communicator.
  std::uint64_t largest() const {
    constexpr std::uint64_t most = 1'000'000;
    std::uint64_t ranks = 0;
    for (const RecordedProcess& process : processes_) {
      if (process.ranks > most)
        throw InputError(path_ + ": " + std::to_string(process.ranks) + " ranks (legal: 1 to " + std::to_string(most) + ")");
      ranks = std::max(ranks, process.ranks);
      for (const RecordedCall& call : process.calls) {
        if (!call.members.empty())
          ranks =
              std::max(ranks, static_cast<std::uint64_t>(*std::max_element(call.members.begin(), call.members.end())) + 1);
        if (call.ranks == 0 || call.ranks > most)
          fail(call,
               "a communicator of " + std::to_string(call.ranks) + " ranks (legal: 1 to " + std::to_string(most) + ")");
        ranks = std::max(ranks, call.ranks);
      }
    }
    if (ranks == 0) throw InputError(path_ + ": no collectives");
    return ranks;
  }

  void check_gap() const {
    const bool computes =
        std::any_of(processes_.begin(), processes_.end(), [](const auto& p) { return !p.compute.empty(); });
    if (options_.compute_gap > 0 && computes)
      throw InputError(path_ + ": graph.compute_gap, but the trace has the times of computation (legal: traces without)");
  }

  /// Returns a text if another process makes other calls than the first.
  std::string other_calls() const {
    const auto same = [](const RecordedCall& a, const RecordedCall& b) {
      return a.name == b.name && a.bytes == b.bytes && a.ranks == b.ranks;
    };
    const auto& first = processes_.front().calls;
    for (const RecordedProcess& process : processes_)
      if (!std::equal(first.begin(), first.end(), process.calls.begin(), process.calls.end(), same))
        return "; " + process.name + " makes other calls";
    return "";
  }

  /// Adds the calls of a process, each after the computation that precedes it; rank -1: of all ranks.
  void add(const RecordedProcess& process, int rank) {
    std::vector<RecordedSpan> spans;
    for (const RecordedCall& call : process.calls) spans.push_back(call.span);
    const ComputeOrder order = compute_order(spans, process.compute);
    std::map<std::string, std::uint32_t> queues;
    std::vector<std::vector<TaskId>> tasks;  // by call
    std::vector<TaskId> stretches;
    const auto compute_until = [&](std::size_t end) {
      for (std::size_t s = stretches.size(); s < end; ++s)
        stretches.push_back(add_compute(order.stretches[s], stretches, tasks, rank));
    };
    std::map<std::string, std::size_t> number;        // by communicator: all-to-alls
    std::map<std::string, std::vector<TaskId>> last;  // by stream
    for (std::size_t c = 0; c < process.calls.size(); ++c) {
      const std::uint32_t next = static_cast<std::uint32_t>(queues.size());
      const std::uint32_t queue = queues.emplace(process.calls[c].stream, next).first->second;
      compute_until(order.before[c] ? *order.before[c] + 1 : 0);
      std::vector<TaskId>& before = last[process.calls[c].stream];
      const std::vector<TaskId> gap = add_gap(before, rank);
      tasks.push_back(add_call(level(process.calls[c], process, rank, number), process, rank, queue));
      for (const TaskId task : tasks.back()) graph_.tasks[task].after = gap;
      if (!tasks.back().empty()) before = tasks.back();
      if (order.before[c])
        for (const TaskId task : tasks.back()) graph_.tasks[task].after = {stretches[*order.before[c]]};
    }
    compute_until(order.stretches.size());
  }

  TaskId add_compute(const ComputeStretch& stretch, const std::vector<TaskId>& before,
                     const std::vector<std::vector<TaskId>>& calls, int rank) {
    Task task;
    task.kind = TaskKind::compute;
    task.name = "compute " + std::to_string(before.size());
    task.rank = rank;
    task.work = Work::of_time(stretch.time);
    if (!before.empty()) task.after.push_back(before.back());
    for (const std::size_t call : stretch.calls) task.after.insert(task.after.end(), calls[call].begin(), calls[call].end());
    std::sort(task.after.begin(), task.after.end());
    return graph_.add(std::move(task));
  }

  /// Adds computation after the transfers of a stream, if there is none in the records. Returns its task, or none.
  std::vector<TaskId> add_gap(const std::vector<TaskId>& before, int rank) {
    if (options_.compute_gap == 0 || before.empty()) return {};
    Task task;
    task.kind = TaskKind::compute;
    task.name = "compute " + std::to_string(gaps_[rank]++);
    task.rank = rank;
    task.work = Work::of_time(options_.compute_gap);
    task.after = before;
    return {graph_.add(std::move(task))};
  }

  /// Returns the call; an all-to-all has the bytes of the rank that sends most.
  RecordedCall level(const RecordedCall& call, const RecordedProcess& process, int rank,
                     std::map<std::string, std::size_t>& number) {
    RecordedCall same = call;
    if (!call.exchange || rank < 0) return same;
    const std::string id = RecordedRanks::id_of(call, process);
    const RecordedRanks::Sent& sent = known_.sent(id, number[id]++);
    same.bytes = sent.most;
    same.uneven |= sent.most != sent.least;
    return same;
  }

  /// Returns the tasks of a call: one for each group that makes it.
  std::vector<TaskId> add_call(const RecordedCall& call, const RecordedProcess& process, int rank, std::uint32_t queue) {
    Task task;
    task.kind = TaskKind::collective;
    task.name = call.name + " " + std::to_string(number_[rank]++);
    task.queue = queue;
    task.transfer = transfer_of(call);
    uneven_ += call.uneven && rank <= 0;
    if (call.bytes == 0) {
      empty_ += rank <= 0;
      return {};
    }
    if (call.kind != RecordedCall::Kind::collective) return add_one_sided(std::move(task), call, process, rank);
    std::vector<TaskId> tasks;
    if (rank < 0) {
      for (const GroupId group : counterparts(call)) {
        task.group = group;
        tasks.push_back(graph_.add(task));
      }
      return tasks;
    }
    task.rank = rank;
    task.group = group_of(RecordedRanks::id_of(call, process));
    return {graph_.add(std::move(task))};
  }

  /// Adds a send or a receive. NCCL matches those of a pair of ranks in order.
  std::vector<TaskId> add_one_sided(Task task, const RecordedCall& call, const RecordedProcess& process, int rank) {
    if (rank < 0)
      fail(call, "'" + call.name +
                     "' of one process, which represents all: both ends are needed (legal: the calls of all "
                     "ranks, with the members of their communicators)");
    task.kind = call.kind == RecordedCall::Kind::send ? TaskKind::send : TaskKind::receive;
    task.rank = rank;
    const std::map<std::uint64_t, int>& ranks = known_.places(RecordedRanks::id_of(call, process));
    const auto peer = ranks.find(call.root);
    if (peer == ranks.end()) fail(call, "peer " + std::to_string(call.root) + " is no rank of its communicator");
    task.transfer.peer = peer->second;
    if (task.transfer.peer == rank) return {};  // a copy inside one GPU
    return {graph_.add(std::move(task))};
  }

  Transfer transfer_of(const RecordedCall& call) {
    Transfer transfer;
    transfer.collective = call.collective;
    transfer.type = call.type.value_or(ElementType::i32);
    other_types_ += !call.type;
    const std::uint64_t element = element_size(transfer.type);
    if (call.bytes > ~std::uint64_t{0} - element) fail(call, "more than 2^64 bytes over all ranks");
    transfer.bytes = (call.bytes + element - 1) / element * element;
    if (call.root >= call.ranks)
      fail(call, "root " + std::to_string(call.root) + " (legal: 0 to " + std::to_string(call.ranks - 1) + ")");
    if (call.kind == RecordedCall::Kind::collective) transfer.root = static_cast<int>(call.root);
    return transfer;
  }

  GroupId group_of(const std::string& id) {
    std::vector<int> ranks;
    for (const auto& [place, rank] : known_.places(id)) ranks.push_back(rank);
    if (ranks == graph_.groups.front().ranks) return 0;
    const auto [known, fresh] = groups_.emplace(id, GroupId{0});
    if (fresh) known->second = graph_.add_group("comm" + std::to_string(groups_.size()), std::move(ranks));
    return known->second;
  }

  /// Returns the group of the call and those of the other ranks that do the same.
  const Groups& counterparts(const RecordedCall& call) {
    const auto [known, fresh] = counterparts_.emplace(std::make_pair(call.ranks, call.members), Groups{});
    if (fresh) known->second = call.members.empty() ? consecutive(call) : with_stride(call);
    return known->second;
  }

  Groups consecutive(const RecordedCall& call) {
    const int size = static_cast<int>(call.ranks);
    if (size == graph_.ranks) return {0};
    if (graph_.ranks % size != 0)
      fail(call, "a communicator of " + std::to_string(size) + " of " + std::to_string(graph_.ranks) +
                     " ranks (legal: a divisor, or records that list the members)");
    graph_.warnings.push_back(path_ + ": communicators of " + std::to_string(size) +
                              " ranks are assumed to have consecutive ranks, since their members are not recorded");
    return tiled(size, 1);
  }

  /// Returns the groups with the stride of the members: ranks 0, 2 of 8 have the counterparts 1, 3; 4, 6; and 5, 7. Members
  /// without a stride that divides the ranks evenly are a group without counterparts.
  Groups with_stride(const RecordedCall& call) {
    std::vector<int> members = call.members;
    std::sort(members.begin(), members.end());
    const int size = static_cast<int>(members.size());
    if (size == graph_.ranks) return {0};
    const int stride = size > 1 ? members[1] - members[0] : 1, block = size * stride;
    bool even = graph_.ranks % block == 0 && members[0] % block < stride;
    for (int i = 1; i < size; ++i) even = even && members[i] - members[i - 1] == stride;
    if (even) return tiled(size, stride);
    graph_.warnings.push_back(path_ + ": process group '" + call.comm + "' of " + std::to_string(size) +
                              " ranks has no even stride: no other ranks have a counterpart of it");
    return {graph_.add_group(name_of_group(size), call.members)};
  }

  Groups tiled(int size, int stride) {
    Groups groups;
    for (int block = 0; block < graph_.ranks; block += size * stride)
      for (int first = block; first < block + stride; ++first) {
        std::vector<int> ranks;
        for (int i = 0; i < size; ++i) ranks.push_back(first + i * stride);
        groups.push_back(graph_.add_group(name_of_group(size), std::move(ranks)));
      }
    return groups;
  }

  std::string name_of_group(int size) { return "comm" + std::to_string(size) + "_" + std::to_string(named_[size]++); }

  const std::vector<RecordedProcess>& processes_;
  const ReadOptions& options_;
  const std::string& path_;
  TaskGraph graph_;
  RecordedRanks known_;
  std::map<std::string, GroupId> groups_;
  std::map<std::pair<std::uint64_t, std::vector<int>>, Groups> counterparts_;  ///< by size and members of a communicator
  std::map<int, std::size_t> named_;                                           ///< by size: groups
  std::map<int, std::size_t> number_;                                          ///< by rank: calls
  std::map<int, std::size_t> gaps_;                                            ///< by rank
  std::size_t other_types_ = 0, uneven_ = 0, empty_ = 0;
};

}  // namespace

TaskGraph graph_of_calls(const std::vector<RecordedProcess>& processes, const ReadOptions& options,
                         const std::string& path) {
  return RecordedGraph(processes, options, path).build();
}

}  // namespace tributary::training
