#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "modules/base/random.h"
#include "testbench/test/harness/three_layers.h"
#include "testbench/workload/training/data_parallel.h"
#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/step_report.h"

namespace tributary::test_ideal_run {

using namespace tributary::training;
using training::Task;  // not the work item of a run

namespace {

Tick period(const DataParallelSpec& spec, const IdealOptions& options = per_unit()) {
  const TaskGraph graph = data_parallel(spec);
  return report(graph, ideal_run(graph, options)).period();
}

Task compute(Tick time, std::vector<TaskId> after = {}) {
  Task t;
  t.name = "compute", t.after = std::move(after), t.work = Work::of_time(time);
  return t;
}
Task reduce(std::uint64_t bytes, std::vector<TaskId> after = {}, std::uint32_t queue = 0) {
  Task t;
  t.name = "reduce", t.kind = TaskKind::collective, t.after = std::move(after), t.queue = queue;
  t.transfer.collective = "allreduce", t.transfer.bytes = bytes;
  return t;
}

}  // namespace

TEST_CASE("ideal run: three layers have the calculated periods", "[pure]") {
  DataParallelSpec spec = three_layers();
  CHECK(period(spec) == 14);  // layer-wise: the last all-reduce ends at 14
  spec.plan.mode = Mode::one_shot;
  CHECK(period(spec) == 18);  // 9 of compute, then 9 of communication
  spec.plan.mode = Mode::bucket;
  spec.plan.first_bucket = 24;
  CHECK(period(spec) == 16);  // layers 3 and 2 from 7 to 13, layer 1 to 16
  spec.plan.mode = Mode::partition;
  spec.plan.partition = 4;
  spec.priority = true;
  CHECK(period(spec) == 12);  // layer 1 overtakes the others, which continue during forward
}

TEST_CASE("ideal run: without communication an iteration lasts as long as its compute, and nothing is exposed", "[pure]") {
  for (Mode mode : {Mode::one_shot, Mode::layer_wise, Mode::bucket, Mode::partition}) {
    DataParallelSpec spec = three_layers(2);
    spec.plan.mode = mode;
    const TaskGraph graph = data_parallel(spec);
    const StepReport r = report(graph, ideal_run(graph, per_unit(0)));
    REQUIRE(r.iterations.size() == 2);
    CHECK(r.iterations[1].time() == 9);
    CHECK(r.iterations[1].exposed == 0);
  }
}

TEST_CASE("ideal run: a collective on 16 of 80 SMs for 4 ms stretches 10 ms of compute to 10.8 ms", "[pure]") {
  constexpr Tick ms = 1'000'000'000;
  TaskGraph graph(2);
  graph.add(compute(10 * ms));
  graph.add(reduce(16));
  const IdealRun run = ideal_run(graph, per_unit(ms, 16));
  CHECK(run.spans[*run.instances.at(1, 0)].end == 4 * ms);
  CHECK(run.spans[*run.instances.at(0, 0)].end == 10'800'000'000);
  CHECK(ideal_run(graph, per_unit(ms, 0)).end == 10 * ms);
}

// 4 ms at three quarters of the memory rate do 3 ms of the work. Tasks bound by operations are not slowed, nor are tasks
// without active collectives.
TEST_CASE("ideal run: a collective with 25 % of the memory rate for 4 ms stretches 10 ms of memory-bound compute to 11 ms",
          "[pure]") {
  constexpr Tick ms = 1'000'000'000;
  const auto end = [](bool memory_bound, TaskKind kind, unsigned sms) {
    TaskGraph graph(2);
    Task task = compute(10 * ms);
    task.work.memory_bound = memory_bound;
    task.kind = kind;
    graph.add(task);
    graph.add(reduce(16));
    IdealOptions options = per_unit(ms, sms);
    options.memory_share = 25;
    const IdealRun run = ideal_run(graph, options);
    CHECK(run.spans[*run.instances.at(1, 0)].end == 4 * ms);
    return run.spans[*run.instances.at(0, 0)].end;
  };
  CHECK(end(true, TaskKind::compute, 0) == 11 * ms);
  CHECK(end(false, TaskKind::optimizer, 0) == 11 * ms);
  CHECK(end(false, TaskKind::compute, 0) == 10 * ms);
  CHECK(end(true, TaskKind::compute, 16) == 11 * ms);  // the scarcer resource: 75 % of memory, 80 % of SMs
  CHECK(end(true, TaskKind::compute, 40) == 12 * ms);
  CHECK(end(false, TaskKind::compute, 16) == 10'800'000'000);
}

TEST_CASE("ideal run: two simultaneous operations share the rate, and all bytes are moved", "[pure]") {
  TaskGraph graph(2);
  graph.add(reduce(400));
  graph.add(reduce(400, {}, 1));
  graph.add(reduce(400, {}, 1));
  const IdealRun run = ideal_run(graph, per_unit());
  CHECK(run.spans[*run.instances.at(0, 0)].end == 200);  // both at half the rate
  CHECK(run.spans[*run.instances.at(1, 0)].end == 200);
  CHECK(run.end == 300);
}

// Four pairs of ranks that share only the link between them.
TEST_CASE("ideal run: collectives of groups slow each other only if they share a link", "[pure]") {
  const std::vector<LinkLoad> whole{{0, 1.0}}, half{{0, 0.5}}, other{{1, 1.0}};
  const auto ends = [&](const std::vector<const std::vector<LinkLoad>*>& loads) {
    TaskGraph graph(8);
    for (int pair = 0; pair < 4; ++pair) {
      Task task = reduce(400);
      task.group = graph.add_group("pair" + std::to_string(pair), {pair, pair + 4});
      graph.add(task);
    }
    IdealOptions options;
    options.links = 2;
    options.transfer = [&](const Task& task) { return TransferTime{1000, 0, 0, loads.at(task.group - 1)}; };
    const IdealRun run = ideal_run(graph, options);
    std::vector<Tick> all;
    for (TaskId task = 0; task < 4; ++task) all.push_back(run.spans[*run.instances.at(task, static_cast<int>(task))].end);
    CHECK(run.slowed == (*std::max_element(all.begin(), all.end()) > 1000));
    return all;
  };
  CHECK(ends({&whole, nullptr, nullptr, nullptr}) == std::vector<Tick>(4, 1000));
  CHECK(ends({&whole, &whole, &whole, &whole}) == std::vector<Tick>(4, 4000));
  CHECK(ends({&half, &half, &half, &half}) == std::vector<Tick>(4, 2000));
  CHECK(ends({&half, &half, nullptr, nullptr}) == std::vector<Tick>(4, 1000));
  CHECK(ends({&whole, &whole, &other, &other}) == std::vector<Tick>(4, 2000));
  // Both run at two thirds of the speed: 1.5 times as long.
  CHECK(ends({&whole, &half, &other, nullptr}) == std::vector<Tick>{1500, 1500, 1000, 1000});
}

TEST_CASE("critical path: queueing from the beginning of a queue is one interval", "[pure]") {
  TaskGraph graph(2);
  graph.add(reduce(400)), graph.add(reduce(200));
  const IdealRun run = ideal_run(graph, per_unit());
  const auto path = critical_path(graph, run, *run.instances.at(1, 0), 0);
  REQUIRE(path.size() == 2);
  CHECK(path[0].kind == PathInterval::Kind::queue);
  CHECK((path[0].begin == 0 && path[0].end == 100));
  CHECK(path[1].kind == PathInterval::Kind::transfer);
  CHECK((path[1].begin == 100 && path[1].end == 150));
}

TEST_CASE("ideal run: with pipelined issue the next operation begins when all data are sent", "[pure]") {
  TaskGraph graph(2);
  graph.add(reduce(4)), graph.add(reduce(4));
  IdealOptions options;
  options.transfer = [](const Task&) { return TransferTime{10, 7, 0}; };
  CHECK(ideal_run(graph, options).end == 20);
  graph.issue = Issue::pipelined;
  CHECK(ideal_run(graph, options).end == 17);
}

TEST_CASE("ideal run: a collective begins on each rank when the rank is ready, and ends together after the last rank",
          "[pure]") {
  TaskGraph graph(3);
  const TaskId work = graph.add(compute(100));
  graph.add(reduce(40, {work}));
  Stragglers slow;
  slow.factor = {1, 2, 1.5};
  IdealOptions options = per_unit();
  options.compute = [&](TaskId task, int rank) { return slow.time(graph, task, rank); };
  const IdealRun run = ideal_run(graph, options);
  for (int rank : {0, 1, 2}) {
    const Span& span = run.spans[*run.instances.at(1, rank)];
    CHECK(span.begin == std::vector<Tick>{100, 200, 150}[static_cast<std::size_t>(rank)]);
    CHECK(span.start == 200);
    CHECK(span.end == 210);
  }
  const auto path = critical_path(graph, run, *run.instances.at(1, 0), 0);
  REQUIRE(path.size() == 2);  // over the slowest rank
  CHECK(path[0].rank == 1);
  CHECK(path[0].kind == PathInterval::Kind::compute);
  CHECK(path[1].kind == PathInterval::Kind::transfer);
}

TEST_CASE("ideal run: jitter is a fraction of each time, the same in every run", "[pure]") {
  TaskGraph graph(2);
  for (int k = 0; k < 50; ++k) graph.add(compute(1000000));
  Stragglers slow;
  slow.jitter = 0.1;
  Tick least = never, most = 0;
  for (TaskId t = 0; t < 50; ++t)
    for (int rank : {0, 1}) {
      const Tick time = slow.time(graph, t, rank);
      CHECK(time == slow.time(graph, t, rank));
      least = std::min(least, time), most = std::max(most, time);
    }
  CHECK(least >= 1000000);
  CHECK(most <= 1100000);
  CHECK(most > least + 50000);
  slow.seed = 2;
  CHECK(slow.time(graph, 0, 0) != Stragglers{{}, 0.1, 1}.time(graph, 0, 0));
}

TEST_CASE("ideal run: credit lets partitions be issued ahead, in the order of their issue", "[pure]") {
  DataParallelSpec spec = three_layers();
  spec.plan.mode = Mode::partition;
  spec.plan.partition = 4;
  spec.priority = true;
  spec.credit = 36;  // all of them simultaneously: issued in fifo order
  CHECK(period(spec) == 14);
}

TEST_CASE("ideal run: accumulation moves gradients once for all passes", "[pure]") {
  DataParallelSpec spec = three_layers(3);
  spec.accumulate = 4;
  CHECK(period(spec) == 4 * 9 + 5);
  const TaskGraph graph = data_parallel(spec);
  CHECK(std::count_if(graph.tasks.begin(), graph.tasks.end(),
                      [](const Task& t) { return t.kind == TaskKind::collective; }) == 3 * 3);
}

TEST_CASE("ideal run: weight gradients are ready one input gradient earlier if they come first", "[pure]") {
  DataParallelSpec spec = three_layers(3);
  spec.weight_first = true;
  CHECK(period(spec) == 13);  // the last all-reduce waits for the others: 4 + 3 x 3
  spec.first_input_gradient = false;
  CHECK(period(spec) == 13);
}

TEST_CASE("ideal run: fused messages wait for the end of their cycle", "[pure]") {
  DataParallelSpec spec = three_layers(1);
  spec.plan.mode = Mode::fusion;
  spec.plan.cycle = 6;
  spec.plan.fusion = 1000;
  const TaskGraph graph = data_parallel(spec);
  const StepReport r = report(graph, ideal_run(graph, per_unit()));
  // Layer 3 is ready at 5 and is sent at 6; the others are ready at 7 and 9, are sent together at 12, and take 6.
  REQUIRE(r.operations.size() == 2);
  CHECK(r.operations[0].span.begin == 6);
  CHECK(r.operations[1].span.begin == 12);
  CHECK(r.iterations[0].time() == 18);
  CHECK(r.iterations[0].exposed == 9);
}

TEST_CASE("ideal run: more bandwidth is never slower, and layer-wise never slower than one shot without fixed cost",
          "[pure]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    DataParallelSpec spec = three_layers(3);
    for (std::size_t l = 0; l < 3; ++l) {
      spec.layers[l].tensors = {1 + below(random_at(1, seed, l), 50)};
      spec.layers[l].weight_gradient.time = below(random_at(2, seed, l), 50);
    }
    Tick before = 0;
    for (Tick unit : {1, 2, 3, 5}) {
      const Tick layer_wise = period(spec, per_unit(unit));
      CHECK(layer_wise >= before);
      before = layer_wise;
      DataParallelSpec whole = spec;
      whole.plan.mode = Mode::one_shot;
      CHECK(layer_wise <= period(whole, per_unit(unit)));
    }
  }
}

}  // namespace tributary::test_ideal_run
