#include <algorithm>
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "testbench/test/harness/three_layers.h"
#include "testbench/workload/training/step_report.h"

namespace tributary::test_step_report {

using namespace tributary::training;

TEST_CASE("step report: busy, exposed and idle time add up to an iteration, and the path has no gaps", "[pure]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto draw = [&](std::uint64_t index, std::uint64_t bound) { return below(random_at(7, seed, index), bound); };
    DataParallelSpec spec;
    spec.ranks = 3;
    for (std::uint64_t l = 0; l < 2 + seed % 5; ++l)
      spec.layers.push_back({"l" + std::to_string(l),
                             {1 + draw(3 * l, 40)},
                             Work::of_time(draw(3 * l + 1, 50)),
                             Work::of_time(draw(3 * l + 2, 50)),
                             Work::of_time(1 + draw(3 * l + 1, 20)),
                             -1});
    spec.plan.mode = std::vector<Mode>{Mode::one_shot, Mode::layer_wise, Mode::bucket, Mode::partition}[seed % 4];
    spec.plan.first_bucket = 60, spec.plan.bucket = 100, spec.plan.partition = 20;
    spec.priority = seed % 3 == 0;
    spec.queues = 1 + static_cast<unsigned>(seed % 2);
    spec.weight_first = seed % 5 == 0;
    spec.iterations = 3;
    if (seed % 7 != 0) spec.update = [=](std::uint64_t parameters) { return parameters * (seed % 7) / 4; };
    spec.update_each = seed % 2 == 0;
    const TaskGraph graph = data_parallel(spec);
    const IdealRun run = ideal_run(graph, per_unit());
    const StepReport r = report(graph, run);
    Tick compute = 0, wire = 0;
    for (const Task& task : graph.tasks) {
      if (task.kind == TaskKind::compute) compute += task.work.time;
      if (moves(task.kind)) wire += task.transfer.bytes / 4;
    }
    CHECK(run.end >= std::max(compute, wire));
    for (const IterationReport& i : r.iterations) {
      CHECK(i.compute + i.optimizer + i.exposed == i.time());
      CHECK(i.idle == 0);
      CHECK(i.overlap <= i.compute + i.optimizer);
      CHECK(i.active - i.overlap <= i.exposed);
    }
    if (!spec.priority) CHECK(r.iterations[1].time() == *r.steady);
    REQUIRE_FALSE(r.path.empty());
    CHECK(r.path.front().begin == r.iterations.back().begin);
    CHECK(r.path.back().end == r.iterations.back().end);
    for (std::size_t k = 1; k < r.path.size(); ++k) CHECK(r.path[k].begin == r.path[k - 1].end);
  }
}

TEST_CASE("step report: an operation may last longer by its slack, and no more", "[pure]") {
  DataParallelSpec spec = three_layers(1);
  spec.plan.mode = Mode::layer_wise;
  spec.layers[2].tensors = {1};  // one time unit: layer 3 ends at 6, layer 2 begins at 7
  const TaskGraph graph = data_parallel(spec);
  const auto end_with = [&](Tick more) {
    IdealOptions options;
    options.transfer = [&](const Task& task) {
      return TransferTime{task.transfer.bytes / 4 + (task.layer == 2 ? more : 0), 0, 0};
    };
    return ideal_run(graph, options).end;
  };
  const StepReport r = report(graph, ideal_run(graph, per_unit()));
  REQUIRE(r.layers.size() == 3);
  CHECK(r.layers[2].layer == 2);
  CHECK(r.layers[2].slack == 1);
  CHECK(r.layers[0].slack == 0);
  CHECK(end_with(1) == end_with(0));
  CHECK(end_with(2) == end_with(0) + 1);
}

// On devices each rank continues after its own end, and the operation goes on for the others.
TEST_CASE("step report: an operation moves data until its last rank has the result", "[pure]") {
  TaskGraph graph(2);
  const GroupId all = graph.add_group("all", {0, 1});
  Task collective, compute;
  collective.name = "sum", collective.kind = TaskKind::collective, collective.group = all;
  collective.transfer.collective = "allreduce", collective.transfer.bytes = 24;
  compute.name = "pass", compute.group = all, compute.work = Work::of_time(10);
  graph.add(collective), graph.add(compute);
  IdealOptions options = per_unit();
  options.compute = [](TaskId, int) { return Tick{10}; };
  IdealRun run = ideal_run(graph, options);
  REQUIRE_FALSE(run.one_for_all);
  const IterationReport together = report(graph, run).iterations.front();
  CHECK(together.active == 6);
  CHECK(together.overlap == 6);
  for (InstanceId i = 0; i < run.instances.size(); ++i)
    if (moves(graph.tasks[run.instances.task(i)].kind) && run.instances.rank(i) == 0) run.spans[i].end = 3;
  const StepReport r = report(graph, run);
  CHECK(r.rank == 0);
  CHECK(r.iterations.front().active == 6);
  CHECK(r.iterations.front().overlap == 6);
}

}  // namespace tributary::test_step_report
