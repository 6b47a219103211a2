#include <algorithm>
#include <catch2/catch.hpp>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/data_parallel.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/model_parallel.h"
#include "testbench/workload/training/step_report.h"

using namespace tributary;
using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

IdealOptions transfers_of(Tick time) {
  IdealOptions options;
  options.transfer = [=](const Task&) { return TransferTime{time, 0, 0}; };
  return options;
}

std::uint64_t bytes_of(const TaskGraph& graph, const std::string& collective) {
  std::uint64_t bytes = 0;
  for (const Task& task : graph.tasks)
    if (task.transfer.collective == collective) bytes += task.transfer.bytes;
  return bytes;
}

std::size_t count_of(const TaskGraph& graph, TaskKind kind) {
  return static_cast<std::size_t>(
      std::count_if(graph.tasks.begin(), graph.tasks.end(), [=](const Task& t) { return t.kind == kind; }));
}

DataParallelSpec four_layers(Sharding sharding) {
  DataParallelSpec spec;
  spec.ranks = 8;
  for (int l = 0; l < 4; ++l)
    spec.layers.push_back({"l" + std::to_string(l), {1000}, Work::of_time(10), Work::of_time(10), Work::of_time(10), -1});
  spec.sharding = sharding;
  spec.iterations = 3;
  return spec;
}

}  // namespace

TEST_CASE("pipeline: the bubble of 1F1B is (p-1)/(m+p-1)", "[pure]") {
  for (int stages : {1, 2, 4})
    for (unsigned batches : {1u, 3u, 8u}) {
      PipelineSpec spec;
      for (int s = 0; s < stages; ++s)
        spec.stages.push_back({"s" + std::to_string(s), Work::of_time(10), Work::of_time(20)});
      spec.micro_batches = batches;
      spec.activation_bytes = 64;
      const TaskGraph graph = pipeline_parallel(spec);
      const Tick time = ideal_run(graph, transfers_of(0)).end;
      CHECK(time == 30 * (batches + static_cast<Tick>(stages) - 1));
      CHECK(count_of(graph, TaskKind::send) == 2 * batches * (static_cast<std::size_t>(stages) - 1));
      CHECK(ideal_run(graph, transfers_of(3)).end >= time);
    }
}

TEST_CASE("pipeline: a bubble is idle, and what is sent late is exposed", "[pure]") {
  PipelineSpec spec;
  for (int s = 0; s < 3; ++s) spec.stages.push_back({"s" + std::to_string(s), Work::of_time(10), Work::of_time(20)});
  spec.micro_batches = 5, spec.activation_bytes = 64;
  const TaskGraph graph = pipeline_parallel(spec);
  const IterationReport free = report(graph, ideal_run(graph, transfers_of(0))).iterations.front();
  CHECK(free.time() == 30 * (5 + 2));
  CHECK(free.compute == 30 * 5);
  CHECK(free.exposed == 0);
  CHECK(free.idle == 30 * 2);
  const IterationReport late = report(graph, ideal_run(graph, transfers_of(4))).iterations.front();
  CHECK(late.compute + late.exposed + late.idle == late.time());
  CHECK(late.exposed > 0);
  CHECK(late.overlap <= late.active);
}

TEST_CASE("pipeline: a stage holds at most as many micro-batches as there are stages from it to the end", "[pure]") {
  PipelineSpec spec;
  for (int s = 0; s < 4; ++s) spec.stages.push_back({"s" + std::to_string(s), Work::of_time(10), Work::of_time(20)});
  spec.micro_batches = 8, spec.activation_bytes = 64;
  const TaskGraph graph = pipeline_parallel(spec);
  for (int s = 0; s < 4; ++s) {
    int held = 0, most = 0;
    for (const Task& task : graph.tasks)
      if (task.rank == s && task.kind == TaskKind::compute) {
        held += task.pass == Pass::forward ? 1 : -1;
        most = std::max(most, held);
      }
    CHECK(most == 4 - s);
  }
}

TEST_CASE("tensor parallel: four all-reduces per layer and micro-batch, none hidden", "[pure]") {
  TensorParallelSpec spec;
  spec.ranks = 4, spec.micro_batches = 2, spec.activation_bytes = 8'000'000;
  for (int l = 0; l < 3; ++l) spec.layers.push_back({"l" + std::to_string(l), Work::of_time(10), Work::of_time(21)});
  const TaskGraph graph = tensor_parallel(spec);
  CHECK(count_of(graph, TaskKind::collective) == 4 * 3 * 2);
  const StepReport r = report(graph, ideal_run(graph, transfers_of(7)));
  CHECK(r.iterations[0].time() == 2 * 3 * (10 + 21 + 4 * 7));
  CHECK(r.iterations[0].overlap == 0);
  CHECK(r.iterations[0].exposed == 2 * 3 * 4 * 7);
}

TEST_CASE("tensor parallel: replicas reduce gradients beside the backward pass, in groups of equal numbers", "[pure]") {
  TensorParallelSpec spec;
  spec.ranks = 2, spec.replicas = 3, spec.activation_bytes = 64, spec.gradient_bytes = 128;
  for (int l = 0; l < 2; ++l) spec.layers.push_back({"l" + std::to_string(l), Work::of_time(10), Work::of_time(20)});
  const TaskGraph graph = tensor_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(graph.ranks == 6);
  CHECK(graph.groups[graph.group_of("tp1")].ranks == std::vector<int>{2, 3});
  CHECK(graph.groups[graph.group_of("dp1")].ranks == std::vector<int>{1, 3, 5});
  CHECK(bytes_of(graph, "allreduce") == 3 * 4 * 2 * 64 + 2 * 2 * 128);
}

TEST_CASE("expert parallel: four all-to-alls per layer", "[pure]") {
  ExpertParallelSpec spec;
  spec.ranks = 8, spec.bytes = 4096;
  for (int l = 0; l < 5; ++l) spec.layers.push_back({"l" + std::to_string(l), Work::of_time(10), Work::of_time(20)});
  const TaskGraph graph = expert_parallel(spec);
  CHECK(bytes_of(graph, "alltoall") == 4 * 5 * 4096);
  CHECK(ideal_run(graph, transfers_of(6)).end == 5 * (10 + 20 + 4 * 6));
}

TEST_CASE("sharded: bytes of gradients and parameters as ZeRO has them", "[pure]") {
  const std::uint64_t bytes = 4 * 4 * 1000, iterations = 3;
  const TaskGraph none = data_parallel(four_layers(Sharding::none));
  CHECK(bytes_of(none, "allreduce") == iterations * bytes);
  const TaskGraph gradients = data_parallel(four_layers(Sharding::gradients));
  CHECK(bytes_of(gradients, "reduce_scatter") == iterations * bytes);
  CHECK(bytes_of(gradients, "allgather") == iterations * bytes);
  const TaskGraph all = data_parallel(four_layers(Sharding::all));
  CHECK(bytes_of(all, "reduce_scatter") == iterations * bytes);
  CHECK(bytes_of(all, "allgather") == iterations * 2 * bytes);
}

TEST_CASE("fully sharded: a unit is gathered while the one before computes, and no sooner", "[pure]") {
  const TaskGraph graph = data_parallel(four_layers(Sharding::all));
  const IdealRun run = ideal_run(graph, transfers_of(5));
  // Forward of the first waits 5 for its parameters, those of the others come meanwhile.
  const auto begin_of = [&](const std::string& name, std::size_t occurrence = 0) {
    for (TaskId t = 0; t < graph.tasks.size(); ++t)
      if (graph.tasks[t].name == name && occurrence-- == 0) return run.spans[*run.instances.at(t, 0)].begin;
    return never;
  };
  CHECK(begin_of("forward l0") == 5);
  CHECK(begin_of("forward l1") == 15);
  CHECK(begin_of("allgather l1") == 5);
  CHECK(begin_of("allgather l2") == 15);  // when forward of l0 is done
  CHECK(begin_of("allgather l3") == 25);
  CHECK(begin_of("wg l3") == 45 + 5 + 10);  // gathered again after forward, then the input gradient
  DataParallelSpec spec = four_layers(Sharding::all);
  spec.priority = true;
  CHECK_THROWS_WITH(data_parallel(spec), Contains("comm.order=fifo"));
}
