#pragma once
/// A graph carried out by rules alone: one compute engine and the communication streams of each rank, with times given for
/// transfers. The oracle of devices that carry it out, and the engine above measured (`isolated`) or fluid transfers.
///
/// Rules. Engine: one task at a time, uncut; of its streams' next tasks the one that has been ready longest. Stream: an
/// operation begins when its predecessors are done and the one before it is done (Issue::serial) or has issued all
/// (Issue::pipelined). A collective's transfer starts when its last member has begun, and ends on all of them together.
/// Orders other than listed: a collective is ready when it is so on all its members, and begins on all at once, as a
/// coordinator arranges it. Operations in flight share the ranks and the links that they have in common, max-min fair in the
/// speed of each: a rank does one operation's work at a time, a link carries no more than its rate. Software collectives
/// take `sms` of 80 SMs while they are active: compute tasks then run at (80 - sms)/80 (one SM per channel of NCCL). Tasks
/// that memory bounds, optimizer steps among them, run at no more than 1 - memory_share while a collective is active.

#include <functional>
#include <vector>

#include "testbench/workload/training/instances.h"
#include "testbench/workload/training/task_graph.h"

namespace tributary::training {

inline constexpr unsigned all_sms = 80;  ///< of a V100

/// What a transfer takes of a link, in bytes per byte that the link could carry meanwhile, when nothing else is in flight.
struct LinkLoad {
  std::uint32_t link = 0;  ///< of the machine
  double share = 0;        ///< 0 to 1
};

/// How long a transfer takes by itself.
struct TransferTime {
  Tick total = 0;
  Tick issued = 0;   ///< until all is sent: the next may begin with Issue::pipelined; at most `total`, 0: `total`
  unsigned sms = 0;  ///< of 80 that it takes from compute tasks
  const std::vector<LinkLoad>* loads = nullptr;  ///< not owned; null: it needs no link that another needs
};

struct IdealOptions {
  /// Of a collective or a send. Needed where the graph has any.
  std::function<TransferTime(const Task&)> transfer = {};
  /// Time of a compute or optimizer task on a rank; none: its Work::time.
  std::function<Tick(TaskId, int rank)> compute = {};
  unsigned memory_share = 0;  ///< per cent of the memory's rate that collectives take, below 100
  std::size_t links = 0;      ///< of the machine: those that loads name are below
};

/// Stragglers: a factor per rank (none: 1), and a share of each time, from 0 to `jitter`, by a hash of (seed, rank, task).
struct Stragglers {
  std::vector<double> factor = {};
  double jitter = 0;
  std::uint64_t seed = 1;

  bool any() const { return jitter > 0 || !factor.empty(); }
  Tick time(const TaskGraph& graph, TaskId task, int rank) const;
};

/// When an instance ran, in ps.
struct Span {
  Tick ready = never;  ///< what it waits for is done
  Tick begin = never;  ///< it has its engine or stream
  Tick start = never;  ///< of a transfer: all members have begun; else as begin
  Tick end = never;
};

struct IdealRun {
  Instances instances;
  std::vector<Span> spans;                ///< by instance
  std::vector<InstanceId> order;          ///< as they ended
  std::vector<InstanceId> engine_before;  ///< on the same engine or stream: the one that had it before, or Instances::none
  bool one_for_all = false;               ///< rank 0 stands for all
  bool slowed = false;                    ///< transfers in flight at once have slowed each other
  Tick end = 0;
};

/// Throws InputError like `check`, and std::logic_error without a time for transfers that the graph has. Ranks that are
/// alike and have no stragglers run once.
IdealRun ideal_run(const TaskGraph& graph, const IdealOptions& options);

}  // namespace tributary::training
