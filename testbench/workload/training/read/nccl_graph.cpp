#include "testbench/workload/training/read/nccl_graph.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "modules/base/nearest.h"
#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

/// A function of NCCL. Sizes here are those of the whole message; `per_rank` counts elements of one rank's part.
struct NcclFunction {
  const char *there, *here;
  bool per_rank, rooted;
};
constexpr std::array<NcclFunction, 8> functions{{{"AllReduce", "allreduce", false, false},
                                                 {"Reduce", "reduce", false, true},
                                                 {"Broadcast", "broadcast", false, true},
                                                 {"AllGather", "allgather", true, false},
                                                 {"ReduceScatter", "reduce_scatter", true, false},
                                                 {"AlltoAll", "alltoall", true, false},
                                                 {"AllToAll", "alltoall", true, false},
                                                 {"Gather", "gather", true, true}}};

/// Types by number (nccl.h); none: not simulated, only its bytes count.
struct NcclType {
  std::uint64_t bytes;
  std::optional<ElementType> type;
};
const std::array<NcclType, 12>& nccl_types() {
  using E = ElementType;
  static const std::array<NcclType, 12> all{{{1, {}},
                                             {1, {}},
                                             {4, E::i32},
                                             {4, E::i32},
                                             {8, {}},
                                             {8, {}},
                                             {2, E::f16},
                                             {4, E::f32},
                                             {8, {}},
                                             {2, E::bf16},
                                             {1, {}},
                                             {1, {}}}};
  return all;
}

class NcclGraph {
 public:
  NcclGraph(const std::vector<NcclProcess>& processes, const ReadOptions& options, const std::string& path)
      : processes_(processes), options_(options), path_(path), graph_(static_cast<int>(largest())) {}

  TaskGraph build() {
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
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw InputError(path_ + ":" + std::to_string(line) + ": " + what);
  }

  /// Returns the ranks of the largest communicator.
  std::uint64_t largest() const {
    constexpr std::uint64_t most = 1'000'000;
    std::uint64_t ranks = 0;
    for (const NcclProcess& process : processes_)
      for (const NcclCall& call : process.calls) {
        if (call.ranks == 0 || call.ranks > most)
          fail(call.line,
               "a communicator of " + std::to_string(call.ranks) + " ranks (legal: 1 to " + std::to_string(most) + ")");
        ranks = std::max(ranks, call.ranks);
      }
    if (ranks == 0) throw InputError(path_ + ": no collectives (legal: a log with NCCL_DEBUG_SUBSYS=COLL)");
    return ranks;
  }

  /// Finds the rank of each process in the largest communicator, and the members of all communicators. Returns false if
  /// the log lacks any of them.
  bool find_ranks() {
    const auto all = static_cast<std::uint64_t>(graph_.ranks);
    if (processes_.size() != all || all < 2) return false;
    for (const NcclProcess& process : processes_) {
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
    for (const NcclProcess& process : processes_)
      for (const NcclCall& call : process.calls) {
        const auto member = process.members.find(call.comm);
        if (member == process.members.end() || member->second.id.empty()) return false;
        if (ranks_of_[member->second.id].size() != call.ranks) return false;
      }
    return true;
  }

  /// Adds the calls of a process; rank -1: of all ranks.
  void add(const NcclProcess& process, int rank) {
    std::map<std::string, std::uint32_t> queues;
    for (const NcclCall& call : process.calls) {
      Task task;
      task.kind = TaskKind::collective;
      task.name = call.function + " " + std::to_string(number_[rank]++);
      task.queue = queues.emplace(call.stream, static_cast<std::uint32_t>(queues.size())).first->second;
      task.transfer = transfer_of(call);
      if (rank < 0) {
        for (const GroupId group : consecutive(call)) {
          task.group = group;
          graph_.add(task);
        }
        continue;
      }
      task.rank = rank;
      task.group = group_of(process.members.at(call.comm).id);
      graph_.add(std::move(task));
    }
  }

  Transfer transfer_of(const NcclCall& call) {
    const auto* const function =
        std::find_if(functions.begin(), functions.end(), [&](const NcclFunction& f) { return f.there == call.function; });
    if (function == functions.end()) {
      std::vector<std::string> names;
      for (const NcclFunction& f : functions) names.emplace_back(f.there);
      fail(call.line, "'" + call.function + "' is not simulated from a log (legal: " + join_names(names) + ")");
    }
    if (call.type >= nccl_types().size())
      fail(call.line,
           "datatype " + std::to_string(call.type) + " (legal: 0 to " + std::to_string(nccl_types().size() - 1) + ")");
    const NcclType& type = nccl_types()[static_cast<std::size_t>(call.type)];
    Transfer transfer;
    transfer.collective = function->here;
    transfer.type = type.type.value_or(options_.type);
    other_types_ += !type.type;
    const std::uint64_t parts = function->per_rank ? call.ranks : 1, element = element_size(transfer.type);
    if (__builtin_mul_overflow(call.count, type.bytes * parts, &transfer.bytes) ||
        transfer.bytes > ~std::uint64_t{0} - element)
      fail(call.line, "more than 2^64 bytes over all ranks");
    transfer.bytes = (transfer.bytes + element - 1) / element * element;
    if (function->rooted && call.root >= call.ranks)
      fail(call.line, "root " + std::to_string(call.root) + " (legal: 0 to " + std::to_string(call.ranks - 1) + ")");
    if (function->rooted) transfer.root = static_cast<int>(call.root);
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

  /// Returns the groups of consecutive ranks for a communicator of some ranks.
  const std::vector<GroupId>& consecutive(const NcclCall& call) {
    const auto [known, fresh] = consecutive_.emplace(call.ranks, std::vector<GroupId>{});
    std::vector<GroupId>& groups = known->second;
    if (!fresh) return groups;
    const int size = static_cast<int>(call.ranks);
    if (size == graph_.ranks) return groups = {0};
    if (graph_.ranks % size != 0)
      fail(call.line, "a communicator of " + std::to_string(size) + " of " + std::to_string(graph_.ranks) +
                          " ranks (legal: a divisor, or a log of all ranks with messages of INIT)");
    graph_.warnings.push_back(path_ + ": communicators of " + std::to_string(size) +
                              " ranks are assumed to have consecutive ranks, since the log lacks their members");
    for (int first = 0; first < graph_.ranks; first += size) {
      std::vector<int> ranks;
      for (int i = 0; i < size; ++i) ranks.push_back(first + i);
      groups.push_back(
          graph_.add_group("comm" + std::to_string(size) + "_" + std::to_string(first / size), std::move(ranks)));
    }
    return groups;
  }

  const std::vector<NcclProcess>& processes_;
  const ReadOptions& options_;
  const std::string& path_;
  TaskGraph graph_;
  std::vector<std::uint64_t> rank_;                               ///< by process
  std::map<std::string, std::map<std::uint64_t, int>> ranks_of_;  ///< by commId: rank in the communicator, rank of the run
  std::map<std::string, GroupId> groups_;
  std::map<std::uint64_t, std::vector<GroupId>> consecutive_;  ///< by number of ranks
  std::map<int, std::size_t> number_;                          ///< by rank: collectives
  std::size_t other_types_ = 0;
};

}  // namespace

TaskGraph graph_of_nccl_log(const std::vector<NcclProcess>& processes, const ReadOptions& options, const std::string& path) {
  return NcclGraph(processes, options, path).build();
}

}  // namespace tributary::training
