#pragma once
/// Executes a graph by rules alone: one compute engine and the communication queues of each rank, with given transfer
/// times. It is the reference for devices that execute the graph, and runs graphs on isolated (measured) or fluid
/// transfers.
///
/// Rules. Engine: one task at a time, without preemption; among the next tasks of its queues, the one that has been ready
/// longest. Queue: an operation begins when its predecessors are done and the previous operation is done (Issue::serial) or
/// has issued all its data (Issue::pipelined). A collective's transfer starts when its last member has begun, and ends on
/// all members simultaneously. Orders other than listed: a collective is ready when it is ready on all its members, and
/// begins on all of them simultaneously, as a coordinator arranges it. Operations in flight share their common ranks and
/// links, max-min fair in the speed of each: a rank does the work of one operation at a time, and a link carries no more
/// than its rate. Software collectives occupy `sms` of 80 SMs while they are active; compute tasks then run at (80 -
/// sms)/80 (one SM per channel of NCCL). Memory-bound tasks, including optimizer steps, run at no more than 1 -
/// memory_share while a collective is active.

#include <cstdint>
#include <functional>
#include <vector>

#include "testbench/workload/training/instances.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

inline constexpr unsigned all_sms = 80;  ///< SMs of a V100

/// Load of a transfer on a link when nothing else is in flight: bytes sent per byte that the link can carry during the
/// transfer.
struct LinkLoad {
  std::uint32_t link = 0;  ///< link of the machine
  double share = 0;        ///< 0 to 1
};

class PairRule;

/// Time of a transfer that is alone.
struct TransferTime {
  Tick total = 0;
  Tick issued = 0;   ///< until all data are sent, when the next may begin with Issue::pipelined; at most `total`, 0: `total`
  unsigned sms = 0;  ///< SMs, out of 80, taken from compute tasks
  const std::vector<LinkLoad>* loads = nullptr;  ///< not owned; null: no link shared with other transfers
  /// Groups whose transfers were measured together have one number. What these groups do to each other is in their times,
  /// whatever the message.
  std::uint32_t kind = 0;     ///< 0: measured alone
  std::uint32_t message = 0;  ///< number of the message among those of its kind
  double concurrent = 1;      ///< loads of all groups of the kind over those of this one
};

/// How operations in flight that use a rank or a link at the same time affect each other. The two last rules show the
/// spread of an estimate: transfers that do not meet where they are measured, and transfers of which one is served first.
enum class Sharing : std::uint8_t {
  fair,     ///< max-min fair in the speed of each
  none,     ///< not at all
  in_turn,  ///< one that begins later waits for the end of those before it
};

struct IdealOptions {
  /// Time of a collective or a send. Required if the graph has any.
  std::function<TransferTime(const Task&)> transfer = {};
  /// Time of a compute or optimizer task on a rank; none: its Work::time.
  std::function<Tick(TaskId, int rank)> compute = {};
  unsigned memory_share = 0;  ///< per cent of the memory rate taken by collectives, below 100
  std::size_t links = 0;      ///< number of links of the machine; LinkLoad::link is below it
  Sharing sharing = Sharing::fair;
  PairRule* pairs = nullptr;  ///< not owned; null: transfers that meet share by `sharing`
};

/// Stragglers: a factor per rank (default 1), and jitter, which lengthens each time by a fraction from 0 to `jitter` given
/// by a hash of (seed, rank, task).
struct Stragglers {
  std::vector<double> factor = {};
  double jitter = 0;
  std::uint64_t seed = 1;

  bool any() const { return jitter > 0 || !factor.empty(); }
  Tick time(const TaskGraph& graph, TaskId task, int rank) const;
};

/// Times of one instance of a task, in ps.
struct Span {
  Tick ready = never;  ///< its predecessors are done
  Tick begin = never;  ///< it has obtained its engine or queue
  Tick start = never;  ///< transfer: all members have begun; else equal to begin
  Tick end = never;
};

struct IdealRun {
  Instances instances;
  std::vector<Span> spans;                ///< by instance
  std::vector<InstanceId> order;          ///< in order of ending
  std::vector<InstanceId> engine_before;  ///< previous instance on the same engine or queue, or Instances::none
  bool one_for_all = false;               ///< rank 0 represents all ranks
  bool slowed = false;                    ///< simultaneous transfers have slowed each other
  Tick end = 0;
};

/// Executes the graph. Throws InputError as check() does, and std::logic_error if the graph has transfers and there is no
/// time for them. If all ranks are alike and there are no stragglers, one rank is executed for all.
IdealRun ideal_run(const TaskGraph& graph, const IdealOptions& options);

}  // namespace tributary::training
