#pragma once
/// A training step as a graph: what each rank computes, sends and reduces, and what must be done before. Models, traces and
/// parallel forms differ only in what writes the graph; simulated devices and the ideal run carry it out.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary::training {

enum class TaskKind : std::uint8_t {
  compute,     ///< takes the compute engine
  collective,  ///< of a group: takes a communication stream of every member
  send,        ///< to `peer`: takes a communication stream
  receive,     ///< from `peer`: waits for what was sent, takes no stream
  optimizer,   ///< takes the compute engine; told apart in reports
  mark         ///< takes nothing, ends `Task::delay` after its predecessors
};

/// What a task belongs to, for reports and compute models.
enum class Pass : std::uint8_t { none, forward, input_gradient, weight_gradient, update };

/// Index in TaskGraph::tasks.
using TaskId = std::uint32_t;
/// Index in TaskGraph::groups; 0 is the group of all ranks by convention (`add_group`).
using GroupId = std::uint32_t;

/// What a compute task has to do, as far as it is known: a time, or what a compute model makes a time of (`give_times`).
struct Work {
  enum class Kind : std::uint8_t {
    time,      ///< `time`
    roofline,  ///< `flop` operations on `bytes` of memory traffic
    gemm       ///< an `rows` x `length` by `length` x `columns` product (E, K, F' of SCALE-Sim)
  };
  Kind kind = Kind::time;
  Tick time = 0;  ///< ps
  std::uint64_t flop = 0, bytes = 0;
  std::uint64_t rows = 0, columns = 0, length = 0;
  bool memory_bound = false;  ///< of a time: memory's, not that of operations

  static Work of_time(Tick time, bool memory_bound = false) { return {Kind::time, time, 0, 0, 0, 0, 0, memory_bound}; }
  static Work of_roofline(std::uint64_t flop, std::uint64_t bytes) {
    return {Kind::roofline, 0, flop, bytes, 0, 0, 0, false};
  }
  static Work of_gemm(std::uint64_t e, std::uint64_t f, std::uint64_t k) { return {Kind::gemm, 0, 0, 0, e, f, k, false}; }
};

/// Bytes of the group's buffer that a collective reads and writes, so that operations in flight are known to keep apart.
struct BufferRange {
  std::uint64_t first = 0, bytes = 0;
};

/// What a collective, a send or a receive moves.
struct Transfer {
  std::string collective;   ///< name of `list collectives`; empty for send and receive
  std::string algorithm;    ///< empty: the one that the run is asked for
  std::uint64_t bytes = 0;  ///< message size as nccl-tests counts it
  ElementType type = ElementType::f32;
  int root = 0;                       ///< rank within the group, of collectives that have one
  int peer = -1;                      ///< of send and receive: the rank at the other end
  std::uint32_t tag = 0;              ///< of send and receive: they meet in order by (from, to, tag)
  std::optional<BufferRange> buffer;  ///< in the gradient buffer of its group
};

/// One node of the graph. It stands for an instance on each of its ranks: `rank` alone, or all of its group. An instance
/// waits for the instances of `after` on its own rank; ranks meet in collectives, sends and receives only.
struct Task {
  std::string name;
  TaskKind kind = TaskKind::compute;
  GroupId group = 0;
  int rank = -1;              ///< -1: all ranks of the group; else this one: its part of a collective of the group
  std::vector<TaskId> after;  ///< may stand anywhere in the list
  std::int32_t priority = 0;  ///< the smaller, the more urgent: number of the layer, from the input
  std::uint32_t stream = 0;   ///< of communication; of compute, too, where the program has several
  std::int32_t iteration = 0;
  std::int32_t layer = -1;  ///< from 0 at the input; -1: of none
  std::int32_t micro_batch = 0;
  Pass pass = Pass::none;
  Work work;          ///< compute, optimizer
  Tick delay = 0;     ///< mark
  Transfer transfer;  ///< collective, send, receive
};

struct Group {
  std::string name;        ///< `all`, `dp0`, `tp1`
  std::vector<int> ranks;  ///< member i is this rank of the run
};

/// Which task of several that could run is next.
enum class Order : std::uint8_t {
  listed,   ///< as in the list, stream by stream: a task waits for the one before it on its stream
  ready,    ///< the one that has been ready longest, ties by the list
  priority  ///< least `priority`, ties by ready time, then by the list; a task that runs is not cut off
};

/// When the next operation of a communication stream begins.
enum class Issue : std::uint8_t {
  serial,    ///< the one before is done on this rank
  pipelined  ///< the one before has issued all it has to send
};

/// The whole run: all iterations of it.
struct TaskGraph {
  int ranks = 1;
  std::vector<Group> groups;
  std::vector<Task> tasks;
  std::vector<std::string> layers;  ///< names, from the input
  int iterations = 1;
  Order compute_order = Order::listed;
  Order comm_order = Order::listed;
  Issue issue = Issue::serial;
  std::vector<std::string> warnings;  ///< of its reader: what is taken otherwise than it stands there, a line each
  std::uint64_t credit = 0;           ///< bytes of operations that a stream may have issued and not done; 0: one operation
  std::uint64_t samples = 0;          ///< of all ranks in an iteration; 0: not known
  bool tokens = false;                ///< samples are tokens

  /// Ranks 0 ... n-1 and the group `all` of them.
  explicit TaskGraph(int n = 1);
  GroupId add_group(std::string name, std::vector<int> members);
  TaskId add(Task task);
  /// Throws InputError with the nearest names.
  GroupId group_of(const std::string& name) const;
  /// The ranks on which a task has an instance.
  std::vector<int> ranks_of(const Task& task) const;
};

bool on_engine(TaskKind kind);  ///< compute, optimizer
bool moves(TaskKind kind);      ///< collective, send, receive
/// `'wg conv1' (task 17)`: for messages.
std::string name_of(const TaskGraph& graph, TaskId task);

}  // namespace tributary::training

namespace tributary {
template <>
struct EnumNames<training::TaskKind> {
  static const std::vector<std::pair<training::TaskKind, std::string>>& names();
};
template <>
struct EnumNames<training::Pass> {
  static const std::vector<std::pair<training::Pass, std::string>>& names();
};
template <>
struct EnumNames<training::Order> {
  static const std::vector<std::pair<training::Order, std::string>>& names();
};
template <>
struct EnumNames<training::Issue> {
  static const std::vector<std::pair<training::Issue, std::string>>& names();
};
}  // namespace tributary
