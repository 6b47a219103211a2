#include "testbench/workload/training/read/recorded_graph.h"

#include <algorithm>
#include <map>
#include <utility>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/recorded_compute.h"

namespace tributary::training {
namespace {

class RecordedGraph {
 public:
  RecordedGraph(const std::vector<RecordedProcess>& processes, const ReadOptions& options, const std::string& path)
      : processes_(processes), options_(options), path_(path), graph_(static_cast<int>(largest())) {}

  TaskGraph build() {
    for (const RecordedProcess& process : processes_)
      graph_.warnings.insert(graph_.warnings.end(), process.warnings.begin(), process.warnings.end());
    if (find_ranks()) {
      for (std::size_t p = 0; p < processes_.size(); ++p) add(processes_[p], static_cast<int>(rank_[p]));
    } else {
      if (processes_.size() > 1)
        graph_.warnings.push_back(path_ + ": the log lacks the ranks of its " + std::to_string(processes_.size()) +
                                  " processes: the first, " + processes_.front().name +
                                  ", represents all (legal for each rank: messages of INIT with commId)");
      add(processes_.front(), -1);
    }
    if (other_types_ > 0)
      graph_.warnings.push_back(path_ + ": " + std::to_string(other_types_) +
                                " collectives have an element type that is not simulated: another type with as many bytes "
                                "replaces it");
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

  /// Finds the rank of each process in the largest communicator, and the members of all communicators. Returns false if
  /// the records lack any of them.
  bool find_ranks() {
    const auto all = static_cast<std::uint64_t>(graph_.ranks);
    if (processes_.size() != all || all < 2) return false;
    for (const RecordedProcess& process : processes_) {
      const auto whole = std::find_if(process.members.begin(), process.members.end(),
                                      [&](const auto& entry) { return entry.second.ranks == all; });
      if (whole == process.members.end() || whole->second.rank >= all) return false;
      rank_.push_back(whole->second.rank);
      for (const auto& [comm, member] : process.members)
        if (!member.id.empty()) ranks_of_[member.id][member.rank] = static_cast<int>(rank_.back());
    }
    std::vector<std::uint64_t> sorted = rank_;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
    for (const RecordedProcess& process : processes_)
      for (const RecordedCall& call : process.calls) {
        const auto member = process.members.find(call.comm);
        if (member == process.members.end() || member->second.id.empty()) return false;
        if (ranks_of_[member->second.id].size() != call.ranks) return false;
      }
    return true;
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
    for (std::size_t c = 0; c < process.calls.size(); ++c) {
      const std::uint32_t next = static_cast<std::uint32_t>(queues.size());
      const std::uint32_t queue = queues.emplace(process.calls[c].stream, next).first->second;
      compute_until(order.before[c] ? *order.before[c] + 1 : 0);
      tasks.push_back(add_call(process.calls[c], process, rank, queue));
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

  /// Returns the tasks of a call: one for each group that makes it.
  std::vector<TaskId> add_call(const RecordedCall& call, const RecordedProcess& process, int rank, std::uint32_t queue) {
    Task task;
    task.kind = TaskKind::collective;
    task.name = call.name + " " + std::to_string(number_[rank]++);
    task.queue = queue;
    task.transfer = transfer_of(call);
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
    task.group = group_of(process.members.at(call.comm).id);
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
    const std::map<std::uint64_t, int>& ranks = ranks_of_.at(process.members.at(call.comm).id);
    const auto peer = ranks.find(call.root);
    if (peer == ranks.end()) fail(call, "peer " + std::to_string(call.root) + " is no rank of its communicator");
    task.transfer.peer = peer->second;
    if (task.transfer.peer == rank) return {};  // a copy inside one GPU
    return {graph_.add(std::move(task))};
  }

  Transfer transfer_of(const RecordedCall& call) {
    Transfer transfer;
    transfer.collective = call.collective;
    transfer.type = call.type.value_or(options_.type);
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
    for (const auto& [place, rank] : ranks_of_.at(id)) ranks.push_back(rank);
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
  std::vector<std::uint64_t> rank_;                               ///< by process
  std::map<std::string, std::map<std::uint64_t, int>> ranks_of_;  ///< by commId: rank in the communicator, rank of the run
  std::map<std::string, GroupId> groups_;
  std::map<std::pair<std::uint64_t, std::vector<int>>, Groups> counterparts_;  ///< by size and members of a communicator
  std::map<int, std::size_t> named_;                                           ///< by size: groups
  std::map<int, std::size_t> number_;                                          ///< by rank: calls
  std::size_t other_types_ = 0;
};

}  // namespace

TaskGraph graph_of_calls(const std::vector<RecordedProcess>& processes, const ReadOptions& options,
                         const std::string& path) {
  return RecordedGraph(processes, options, path).build();
}

}  // namespace tributary::training
