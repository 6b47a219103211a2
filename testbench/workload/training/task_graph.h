#pragma once
/// A training step as a graph: computation, transfers and reductions of each rank, with their dependencies. Models, traces
/// and parallel forms differ only in the writer of the graph; simulated devices and the ideal run execute it.

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
  compute,     ///< occupies the compute engine
  collective,  ///< occupies a communication queue of every member of a group
  send,        ///< to `peer`: occupies a communication queue
  receive,     ///< from `peer`: waits for the data, occupies no queue
  optimizer,   ///< occupies the compute engine; reported separately
  mark         ///< occupies nothing, ends `Task::delay` after its predecessors
};

/// Pass that a task belongs to, for reports and compute models.
enum class Pass : std::uint8_t { none, forward, input_gradient, weight_gradient, update };

/// Form of parallel training that a transfer belongs to, for reports.
enum class Form : std::uint8_t {
  none,      ///< unknown
  tensor,    ///< activations and their gradients, among ranks that share a layer
  expert,    ///< tokens, among ranks that share experts
  pipeline,  ///< activations and their gradients, between stages
  data       ///< gradients and parameters
};

/// Index in TaskGraph::tasks.
using TaskId = std::uint32_t;
/// Index in TaskGraph::groups; 0 is the group of all ranks by convention (`add_group`).
using GroupId = std::uint32_t;

/// Work of a compute task: a time, or quantities that a compute model converts to a time (`give_times`).
struct Work {
  enum class Kind : std::uint8_t {
    time,      ///< `time`
    roofline,  ///< `flop` operations on `bytes` of memory traffic
    gemm       ///< a `rows` x `length` by `length` x `columns` product (E, K, F' of SCALE-Sim)
  };
  Kind kind = Kind::time;
  Tick time = 0;  ///< ps
  std::uint64_t flop = 0, bytes = 0;
  std::uint64_t rows = 0, columns = 0, length = 0;
  bool memory_bound = false;  ///< the time is bound by memory, not by operations

  static Work of_time(Tick time, bool memory_bound = false) { return {Kind::time, time, 0, 0, 0, 0, 0, memory_bound}; }
  static Work of_roofline(std::uint64_t flop, std::uint64_t bytes) {
    return {Kind::roofline, 0, flop, bytes, 0, 0, 0, false};
  }
  static Work of_gemm(std::uint64_t e, std::uint64_t f, std::uint64_t k) { return {Kind::gemm, 0, 0, 0, e, f, k, false}; }
};

/// Bytes of the group's buffer that a collective reads and writes, used to prove that operations in flight do not overlap.
struct BufferRange {
  std::uint64_t first = 0, bytes = 0;
};

/// Data moved by a collective, a send or a receive.
struct Transfer {
  std::string collective;   ///< name of `list collectives`; empty for send and receive
  std::string algorithm;    ///< empty: the run's algorithm
  std::uint64_t bytes = 0;  ///< message size as nccl-tests counts it
  ElementType type = ElementType::f32;
  int root = 0;                       ///< rank within the group, for collectives with a root
  int peer = -1;                      ///< send and receive: rank at the other end
  std::uint32_t tag = 0;              ///< send and receive: matched in order by (from, to, tag)
  std::optional<BufferRange> buffer;  ///< range in the gradient buffer of its group
};

/// One node of the graph, with an instance on each of its ranks: `rank` alone, or all ranks of its group. An instance waits
/// for the instances of `after` on its own rank; ranks meet only in collectives, sends and receives.
struct Task {
  std::string name;
  TaskKind kind = TaskKind::compute;
  GroupId group = 0;
  int rank = -1;              ///< -1: all ranks of the group; else this rank's part of a collective of the group
  std::vector<TaskId> after;  ///< predecessors, at any position in the list
  std::int32_t priority = 0;  ///< smallest is most urgent: layer number, from the input
  std::uint32_t queue = 0;    ///< communication queue; also a compute queue if the program has several
  std::int32_t iteration = 0;
  std::int32_t layer = -1;  ///< from 0 at the input; -1: none
  std::int32_t micro_batch = 0;
  Pass pass = Pass::none;
  Work work;          ///< compute, optimizer
  Tick delay = 0;     ///< mark
  Transfer transfer;  ///< collective, send, receive
  Form form = Form::none;
};

struct Group {
  std::string name;        ///< `all`, `dp0`, `tp1`
  std::vector<int> ranks;  ///< member i is this rank of the run
  /// TaskGraph::representatives: groups that do the same at the same times, and have no tasks. Their ranks are `ranks` plus
  /// a shift. The group of a send consists of both its ends.
  std::vector<int> shifts = {};
};

/// Choice of the next task among several ready ones.
enum class Order : std::uint8_t {
  listed,   ///< list order within each queue: a task waits for its predecessor on its queue
  ready,    ///< ready for the longest time, ties by list order
  priority  ///< smallest `priority`, ties by ready time, then by list order; running tasks are not preempted
};

/// Condition for the next operation of a communication queue to begin.
enum class Issue : std::uint8_t {
  serial,    ///< the previous one is done on this rank
  pipelined  ///< the previous one has issued all its data
};

/// The whole run, with all iterations.
struct TaskGraph {
  int ranks = 1;
  std::vector<Group> groups;
  std::vector<Task> tasks;
  std::vector<std::string> layers;  ///< names, from the input on
  int iterations = 1;
  Order compute_order = Order::listed;
  Order comm_order = Order::listed;
  Issue issue = Issue::serial;
  std::vector<std::string> warnings;  ///< warnings of the reader, one line each: content that it interprets differently
  std::uint64_t credit = 0;           ///< bytes of operations that a queue may have issued and not done; 0: one operation
  std::uint64_t samples = 0;          ///< samples of all ranks per iteration; 0: unknown
  bool tokens = false;                ///< samples are tokens
  /// The only ranks with tasks, each of which represents ranks that do the same at the same times; empty: all ranks have
  /// tasks. Groups have all of their ranks.
  std::vector<int> representatives = {};

  /// Creates ranks 0 to n-1 and their group `all`.
  explicit TaskGraph(int n = 1);
  GroupId add_group(std::string name, std::vector<int> members);
  TaskId add(Task task);
  /// Finds a group by name. Throws InputError with the nearest names.
  GroupId group_of(const std::string& name) const;
  /// Returns the ranks on which a task has an instance.
  std::vector<int> ranks_of(const Task& task) const;
  /// Returns the number of equal transfers that a collective or a send represents, with itself.
  std::size_t represented(const Task& task) const { return 1 + groups.at(task.group).shifts.size(); }
};

bool on_engine(TaskKind kind);  ///< compute, optimizer
bool moves(TaskKind kind);      ///< collective, send, receive
/// Returns `'wg conv1' (task 17)`, for error texts.
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
struct EnumNames<training::Form> {
  static const std::vector<std::pair<training::Form, std::string>>& names();
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
