#include "testbench/workload/training/ideal_run.h"

#include <cmath>

#include "modules/base/random.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/ideal_executor.h"

namespace tributary::training {

Tick Stragglers::time(const TaskGraph& graph, TaskId task, int rank) const {
  const Tick time = graph.tasks[task].work.time;
  if (!any()) return time;
  const auto r = static_cast<std::size_t>(rank);
  const double share = static_cast<double>(random_at(seed, static_cast<std::uint64_t>(rank), task) >> 11) * 0x1p-53;
  const double factor_of_rank = r < factor.size() ? factor[r] : 1.0;
  return static_cast<Tick>(std::llround(static_cast<double>(time) * factor_of_rank * (1 + jitter * share)));
}

IdealRun ideal_run(const TaskGraph& graph, const IdealOptions& options) {
  check(graph);
  const bool one = !options.compute && alike(graph);
  IdealRun run{Instances(graph, one), {}, {}, {}, one, false, 0};
  run.spans.resize(run.instances.size());
  run.engine_before.assign(run.instances.size(), Instances::none);
  run.order.reserve(run.instances.size());
  Executor(graph, options, run).run();
  return run;
}

}  // namespace tributary::training
