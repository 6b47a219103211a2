#pragma once
/// What a run of a graph says of training: time of an iteration, exposed communication, critical path, slack.

#include <optional>
#include <string>
#include <vector>

#include "testbench/workload/training/ideal_run.h"

namespace tributary::training {

/// All times in ps, on the rank that ends last. compute + optimizer + exposed + idle = time.
struct IterationReport {
  int iteration = 0;
  Tick begin = 0, end = 0;  ///< first task to last, the optimizer included
  Tick compute = 0;         ///< engine busy, without the optimizer
  Tick optimizer = 0;
  Tick exposed = 0;  ///< engine idle while an operation is queued or active
  Tick idle = 0;     ///< engine idle otherwise: bubbles of a pipeline
  Tick active = 0;   ///< at least one operation moves data
  Tick overlap = 0;  ///< of that, with the engine busy

  Tick time() const { return end - begin; }
};

/// A stretch of the critical path.
struct PathInterval {
  enum class Kind : std::uint8_t { compute, optimizer, transfer, queue, delay };
  Kind kind;
  TaskId task;  ///< that runs, or waits in a queue
  int rank;
  Tick begin, end;
};
const char* name_of(PathInterval::Kind kind);

/// An operation on the rank that ends last.
struct OperationReport {
  TaskId task;
  Span span;
  Tick slack = 0;     ///< by which it may end later without any effect on the end of the run, in the order that was run
  Tick last_end = 0;  ///< on the last rank that takes part
};

/// Operations of a layer in the last iteration.
struct LayerReport {
  int layer;
  std::uint64_t bytes = 0;
  std::size_t operations = 0;
  Tick ready = never;  ///< the first of them
  Tick end = 0;        ///< the last
  Tick queue = 0;      ///< the longest wait from ready to the start of a transfer
  Tick slack = never;  ///< the least
};

struct StepReport {
  int rank = 0;
  std::vector<IterationReport> iterations;
  std::optional<Tick> steady;      ///< from the begin of iteration 2 to that of iteration 3, counted from 1
  std::vector<PathInterval> path;  ///< of the last iteration, from its begin to its end, without gaps
  std::vector<OperationReport> operations;
  std::vector<LayerReport> layers;  ///< from the input; those that have operations

  /// Of an iteration in the steady state: `steady`, or the time of the last.
  Tick period() const { return steady ? *steady : iterations.back().time(); }
};

StepReport report(const TaskGraph& graph, const IdealRun& run);

/// Back from `last` over what ended last, down to `from`.
std::vector<PathInterval> critical_path(const TaskGraph& graph, const IdealRun& run, InstanceId last, Tick from);
/// By instance: how much later it may end without any effect on the end of the run, in the order that was run.
std::vector<Tick> slack(const TaskGraph& graph, const IdealRun& run);

}  // namespace tributary::training
