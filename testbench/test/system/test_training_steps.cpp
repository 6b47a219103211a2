/// Steps that the GPUs carry out themselves: every element of every operation is right under any overlap.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "modules/gpu/compute_engine.h"
#include "platforms/nvswitch/blocks.h"
#include "testbench/run/training/step_run.h"
#include "testbench/test/harness/step_specs.h"
#include "testbench/workload/training/step_report.h"

namespace tributary::test_training_steps {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

constexpr int ranks = step_ranks;

/// A compute engine whose operations take no time.
class NoCompute final : public EngineModule, private GpuEngine {
 public:
  NoCompute(const char* name, EngineSeat seat) : EngineModule(name), seat_(seat) {}
  GpuEngine& engine() override { return *this; }

 private:
  EngineScope scope() const override { return {0, 0, 0, 0, EngineScope::bit_of(DeviceTask::Kind::compute)}; }
  void task_ready(std::uint32_t task, Tick now) override {
    seat_.task_begun(task, now);
    seat_.task_ended(task, now);
  }
  void run(Tick, EngineTimer) override {}
  void packet(Packet* packet, Arrival, Tick) override { packet->release(); }
  std::vector<std::string> waiting() const override { return {}; }
  void reset() override {}
  void describe(ProbeDirectory&, const std::string&) override {}

  EngineSeat seat_;
};

}  // namespace

TEST_CASE("steps on GPUs: push operations are right in both modes", "[system][training]") {
  check_right("push", miniature(200'000));
}

TEST_CASE("steps on GPUs: pull operations with barriers are right in both modes", "[system][training]") {
  check_right("pull", miniature(200'000));
}

TEST_CASE("steps on GPUs: rings and trees are right in both modes", "[system][training]") {
  check_right("ring", miniature(200'000));
  check_right("double_binary_tree", miniature(200'000));
}

TEST_CASE("steps on GPUs: rings whose ranks are an operation apart leave no element wrong", "[system][training]") {
  Stragglers uneven;
  uneven.jitter = 2, uneven.seed = 5;
  check_right("ring", miniature(5'000, 2), uneven);
  check_right("halving_doubling", miniature(300'000, 1, Issue::pipelined), uneven);
}

TEST_CASE("steps on GPUs: data for an operation that a slower rank has not begun are accepted", "[system][training]") {
  Stragglers uneven;
  uneven.jitter = 2, uneven.seed = 5;
  check_right("push", miniature(300'000), uneven);
  check_right("pull", miniature(300'000), uneven);
}

TEST_CASE("steps on GPUs: several pipelined operations in flight leave no element wrong", "[system][training]") {
  check_right("push", miniature(10'000, 2, Issue::pipelined));
  check_right("pull", miniature(10'000, 2, Issue::pipelined));
}

TEST_CASE("steps on GPUs: groups that share ranks are right by software in both modes", "[system][training]") {
  Stragglers uneven;
  uneven.jitter = 2, uneven.seed = 5;
  check_right("ring", rows_and_columns(20'000, {"reduce_scatter", "allgather"}), uneven);
  const auto direct = [](const training::Task& task, const std::vector<int>&) {
    return OperationAlgorithm{task.transfer.collective == "alltoall" ? "direct" : "halving_doubling"};
  };
  check_right(step_spec("ring", rows_and_columns(100'000, {"alltoall", "allreduce"}), uneven, "", direct));
}

TEST_CASE("steps on GPUs: groups that share ranks are right in the switches in both modes", "[system][training]") {
  Stragglers uneven;
  uneven.jitter = 2, uneven.seed = 5;
  check_right("push", rows_and_columns(20'000, {"allreduce"}), uneven);
  check_right("pull", rows_and_columns(100'000, {"allreduce"}), uneven);
  const auto sharded = [](const training::Task& task, const std::vector<int>&) {
    const std::string& what = task.transfer.collective;
    return OperationAlgorithm{what == "reduce_scatter" ? "pull" : what == "allreduce" ? "push" : "multicast"};
  };
  check_right(
      step_spec("push", rows_and_columns(20'000, {"reduce_scatter", "allgather", "broadcast"}), uneven, "", sharded));
}

TEST_CASE("steps on GPUs: two stages that send to each other are right in both modes", "[system][training]") {
  Stragglers uneven;
  uneven.jitter = 2, uneven.seed = 5;
  check_right("ring", two_stages(3'000'000, 4));
  check_right("ring", two_stages(1'000, 3), uneven);
}

TEST_CASE("steps on GPUs: a pipeline has the bubble of 1F1B", "[system][training]") {
  constexpr Tick time = 10'000'000'000;  // transfers are negligible in comparison
  const TaskGraph graph = two_stages(time, 4);
  StepRun devices(without_data(run_spec("ring", first_gpus(ranks), {128_B})), graph, {}, {});
  REQUIRE(devices.run().status == Status::done);
  const IdealRun run = devices.measured();
  // Four micro-batches forward and backward in each stage, and the first forward and last backward pass of the other.
  CHECK(static_cast<double>(run.end) == Approx(10.0 * static_cast<double>(time)).epsilon(0.001));
  CHECK(run.order.size() == run.instances.size());
  const StepReport r = report(graph, run);
  CHECK(r.iterations.front().compute == 8 * time);
}

TEST_CASE("steps on GPUs: groups that compete for tables take as long as the same jobs together", "[system][training]") {
  TaskGraph graph(ranks);
  for (int k = 0; k < 4; ++k) {
    training::Task t;
    t.name = "row", t.kind = TaskKind::collective;
    t.group = graph.add_group("row" + std::to_string(k), {4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3});
    t.transfer.collective = "allreduce", t.transfer.bytes = 1'048'576;
    graph.add(t);
  }
  RunSpec jobs = without_data(run_spec("push", first_gpus(4), {1_MiB}));
  for (int k = 1; k < 4; ++k) {
    jobs.jobs.push_back(jobs.jobs.front());
    jobs.jobs.back().ranks = {4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3};
  }
  Tick last = 0;
  Session together(jobs, Elaboration::goes_on);
  StepRun devices(without_data(run_spec("push", first_gpus(ranks), {128_B})), graph, {}, {});
  for (const ResultRow& row : together.run(0)) last = std::max(last, row.time);
  const ResultRow row = devices.run();
  REQUIRE(row.status == Status::done);
  CHECK(static_cast<double>(row.time) == Approx(static_cast<double>(last)).epsilon(0.02));
}

TEST_CASE("steps on GPUs: a step takes at least its compute, its links, and the operation after its last gradient",
          "[system][training]") {
  const TaskGraph graph = miniature(500'000);
  RunSpec spec = without_data(run_spec("push", first_gpus(ranks), {128_B}));
  StepRun devices(spec, graph, {}, {});
  const ResultRow row = devices.run();
  REQUIRE(row.status == Status::done);
  const IdealRun run = devices.measured();
  CHECK(run.end == row.time);
  CHECK(run.order.size() == run.instances.size());
  Tick compute = 0;
  for (const training::Task& task : graph.tasks) compute += task.work.time;
  const StepReport r = report(graph, run);
  const IterationReport& all = r.iterations.front();
  CHECK(all.compute == compute);
  CHECK(all.compute + all.exposed + all.optimizer + all.idle == all.time());
  CHECK(all.idle == 0);
  CHECK(static_cast<double>(row.time) * row.bound_GBps >= static_cast<double>(row.size_bytes) * 1e3);
  for (const OperationReport& o : r.operations) {
    CHECK(o.span.ready <= o.span.begin);
    CHECK(o.span.start < o.span.end);
  }
  // Operations of a queue begin in order, each when the previous one has ended.
  for (std::size_t k = 1; k < r.operations.size(); ++k) CHECK(r.operations[k].span.begin >= r.operations[k - 1].span.end);
}

TEST_CASE("steps on GPUs: separate operations take as long as alone, and the first to the picosecond",
          "[system][training]") {
  const TaskGraph graph = miniature(3'000'000);
  std::map<std::uint64_t, Tick> alone;
  std::vector<Bytes> sizes;
  for (const training::Task& task : graph.tasks)
    if (task.kind == TaskKind::collective && alone.emplace(task.transfer.bytes, 0).second)
      sizes.push_back(bytes(task.transfer.bytes));
  for (const Run& run : run_all(without_data(run_spec("push", first_gpus(ranks), sizes))))
    alone[run.row.size_bytes] = run.row.time;
  StepRun devices(without_data(run_spec("push", first_gpus(ranks), {128_B})), graph, {}, {});
  REQUIRE(devices.run().status == Status::done);
  const StepReport r = report(graph, devices.measured());
  for (const OperationReport& o : r.operations) {
    INFO(graph.tasks[o.task].name);
    const Tick time = o.last_end - o.span.start, expected = alone.at(graph.tasks[o.task].transfer.bytes);
    // The previous operation has left the arbiters of the switches in another state, and home ports have another order:
    // the ports of a few blocks may all be on one board.
    const double error = graph.tasks[o.task].transfer.bytes >= 2048 ? 0.05 : 0.3;
    CHECK(static_cast<double>(time) == Approx(static_cast<double>(expected)).epsilon(error));
    if (&o == &r.operations.front()) CHECK(time == expected);
  }
}

TEST_CASE("steps on GPUs: four queues with operations in flight leave no element wrong", "[system][training]") {
  const auto queues = [](TaskGraph graph) {
    std::uint32_t number = 0;
    for (training::Task& task : graph.tasks)
      if (task.kind == TaskKind::collective) task.queue = number++ % 4;
    return graph;
  };
  Stragglers uneven;
  uneven.jitter = 2, uneven.seed = 5;
  check_right("push", queues(miniature(10'000)));
  check_right("pull", queues(miniature(10'000)));
  check_right("push", queues(miniature(200'000, 2)), uneven);
  check_right("pull", queues(miniature(200'000, 2)), uneven);
}

TEST_CASE("steps on GPUs: two equal operations in flight end together after twice the time of one", "[system][training]") {
  TaskGraph graph(ranks);
  for (std::uint32_t queue = 0; queue < 2; ++queue) {
    training::Task t;
    t.name = "reduce", t.kind = TaskKind::collective, t.queue = queue;
    t.transfer.collective = "allreduce", t.transfer.bytes = 4'194'304;
    graph.add(t);
  }
  const std::vector<std::string> large{"nvswitch.switch.reduction_table.bytes=1MiB"};  // no evictions
  const Run alone = run_one(without_data(run_spec("push", first_gpus(ranks), {4_MiB}, large)));
  StepRun devices(without_data(run_spec("push", first_gpus(ranks), {128_B}, large)), graph, {}, {});
  const ResultRow row = devices.run();
  REQUIRE(row.status == Status::done);
  const StepReport r = report(graph, devices.measured());
  REQUIRE(r.operations.size() == 2);
  const auto twice = 2 * static_cast<double>(alone.row.time);
  for (const OperationReport& o : r.operations) CHECK(static_cast<double>(o.last_end) == Approx(twice).epsilon(0.02));
  CHECK(row.wire_bytes == 2 * alone.row.wire_bytes);
}

TEST_CASE("steps on GPUs: a user's compute engine that takes no time works", "[system][training][plugin]") {
  const TaskGraph graph = miniature(1'000'000'000);
  RunSpec spec = step_spec("push", graph);
  spec.blocks.add(compute_engine_slot,
                  [](const char* name, EngineSeat seat) { return std::make_unique<NoCompute>(name, seat); });
  Session session(spec);
  const ResultRow row = session.run(0).front();
  CHECK(row.wrong == 0u);
  CHECK(row.time < 1'000'000'000);
}

TEST_CASE("steps on GPUs: a rank that never begins is reported as a deadlock with its waits", "[system][training]") {
  RunSpec spec = step_spec("push", miniature(1000));
  spec.jobs.front().withheld_rank = 3;
  Session session(spec);
  const ResultRow row = session.run(0).front();
  CHECK(row.status == Status::no_progress);
  CHECK_THAT(row.report, Contains("gpu0.tasks: ") && Contains("gpu0.operations: queue 0: task") &&
                             Contains("blocks of the result are missing"));
}

TEST_CASE("steps on GPUs: operations that GPUs do not support are refused", "[system][training]") {
  const auto refused = [](TaskGraph graph, const std::string& words) {
    CHECK_THROWS_WITH(device_step(graph, ElementType::f32, by("push"), {}), Contains(words));
  };
  TaskGraph graph = miniature(1);
  graph.comm_order = Order::priority;
  refused(graph, "coordinator");
  graph = miniature(1);
  graph.compute_order = Order::ready;
  refused(graph, "as they become ready");
  graph = miniature(1);
  for (training::Task& task : graph.tasks)
    if (task.kind == TaskKind::collective) task.transfer.type = ElementType::f16;
  refused(graph, "has another element type");
  graph = miniature(1);
  for (training::Task& task : graph.tasks)
    if (task.kind == TaskKind::collective) task.queue = 8;
  refused(graph, "is on queue 8");
  graph = rows_and_columns(1, {"allreduce"});
  graph.tasks.erase(std::remove_if(graph.tasks.begin(), graph.tasks.end(),
                                   [](const training::Task& t) { return t.kind == TaskKind::collective; }),
                    graph.tasks.end());
  for (training::Task& task : graph.tasks) task.after.clear();
  refused(graph, "rank 0 moves no data");
  const auto setup_refused = [](const TaskGraph& of, const std::string& algorithm, const std::string& words) {
    CHECK_THROWS_WITH(StepRun(without_data(run_spec(algorithm, first_gpus(ranks), {128_B})), of, {}, {}), Contains(words));
  };
  graph = rows_and_columns(1, {"allreduce"});
  graph.tasks.back().group = 0;  // a group of all ranks, in addition to rows of four
  setup_refused(graph, "push", "is in groups of ");
  setup_refused(rows_and_columns(1, {"alltoall"}), "push", "a GPU's program is of switches or of software");
  setup_refused(two_stages(1, 1), "push", "receives by commands of software");
}

TEST_CASE("steps on GPUs: parts of a step's buffer are spaced to use links evenly", "[system][training]") {
  const DeviceStep made = device_step(miniature(1, 2), ElementType::f32, by("push"), {});
  std::uint64_t end = 0;
  for (const JobStep::Part& part : made.step.operations) {
    CHECK(part.first >= end);
    const std::uint64_t block = part.first / block_bytes, blocks = blocks_of(part.bytes);
    CHECK(part.first % block_bytes == 0);
    CHECK((block % 4096 == 0 || blocks <= (block & ~(block - 1))));
    end = part.first + blocks * block_bytes;
  }
  CHECK(made.step.bytes() <= 3 * 2 * 4 * 15'600);
}

}  // namespace tributary::test_training_steps
