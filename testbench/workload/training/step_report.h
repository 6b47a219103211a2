#pragma once
/// Training report of a run: iteration time, exposed communication, critical path, slack.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "testbench/workload/training/ideal_run.h"

namespace tributary::training {

/// Number of forms of parallel training.
inline constexpr std::size_t forms = 5;
/// Returns the index of a form, in order of declaration.
constexpr std::size_t index_of(Form form) { return static_cast<std::size_t>(form); }

/// Times in ps on the rank that ends last. compute + optimizer + exposed + idle = time.
struct IterationReport {
  int iteration = 0;
  Tick begin = 0, end = 0;  ///< first task to last, including the optimizer
  Tick compute = 0;         ///< engine busy, excluding the optimizer
  Tick optimizer = 0;
  Tick exposed = 0;  ///< engine idle while an operation is queued or active
  Tick idle = 0;     ///< engine idle otherwise: bubbles of a pipeline
  Tick active = 0;   ///< at least one operation of the rank moves data, until the operation's last rank has its result
  Tick overlap = 0;  ///< part of `active` with the engine busy
  /// By form: its part of `exposed`. Where operations of several forms are queued or active, the first of tensor, expert,
  /// pipeline and data counts.
  std::array<Tick, forms> exposed_of = {};

  Tick time() const { return end - begin; }
};

/// An interval of the critical path.
struct PathInterval {
  enum class Kind : std::uint8_t { compute, optimizer, transfer, queue, delay };
  Kind kind;
  TaskId task;  ///< task that runs, or waits in a queue
  int rank;
  Tick begin, end;
};
const char* name_of(PathInterval::Kind kind);

/// An operation on the rank that ends last.
struct OperationReport {
  TaskId task;
  Span span;
  Tick slack = 0;     ///< allowed delay of its end without effect on the end of the run, in the order of this run
  Tick last_end = 0;  ///< end on the last participating rank
};

/// Operations of a layer in the last iteration.
struct LayerReport {
  int layer;
  std::uint64_t bytes = 0;
  std::size_t operations = 0;
  Tick ready = never;  ///< first ready time
  Tick end = 0;        ///< last end
  Tick queue = 0;      ///< longest wait from ready to the start of a transfer
  Tick slack = never;  ///< smallest slack
};

struct StepReport {
  int rank = 0;
  std::vector<IterationReport> iterations;
  std::optional<Tick> steady;      ///< time from the begin of iteration 2 to that of iteration 3, counted from 1
  std::vector<PathInterval> path;  ///< path of the last iteration, from its begin to its end, without gaps
  std::vector<OperationReport> operations;
  std::vector<LayerReport> layers;  ///< layers that have operations, from the input on

  /// Returns the time of an iteration in the steady state: `steady`, or the time of the last iteration.
  Tick period() const { return steady ? *steady : iterations.back().time(); }
};

StepReport report(const TaskGraph& graph, const IdealRun& run);

/// Returns the critical path from `from` to the end of `last`: each interval is preceded by the predecessor that ended
/// last.
std::vector<PathInterval> critical_path(const TaskGraph& graph, const IdealRun& run, InstanceId last, Tick from);
/// Returns, by instance, how much later it may end without effect on the end of the run, in the order of this run.
std::vector<Tick> slack(const TaskGraph& graph, const IdealRun& run);

}  // namespace tributary::training
