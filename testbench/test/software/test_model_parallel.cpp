#include <algorithm>
#include <catch2/catch.hpp>

#include "testbench/test/harness/model_layers.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/data_parallel.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/model_parallel.h"
#include "testbench/workload/training/step_report.h"

namespace tributary::test_model_parallel {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

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
  for (unsigned stages : {1u, 2u, 4u})
    for (unsigned batches : {1u, 3u, 8u}) {
      ModelParallelSpec spec = equal_layers(stages);
      spec.degrees.pipeline = stages;
      spec.micro_batches = batches;
      const TaskGraph graph = model_parallel(spec);
      CHECK(graph.ranks == static_cast<int>(stages));
      const Tick time = ideal_run(graph, transfers_of(0)).end;
      CHECK(time == 30 * (batches + stages - 1));
      CHECK(count_of(graph, TaskKind::send) == 2 * batches * (stages - 1));
      CHECK(ideal_run(graph, transfers_of(3)).end >= time);
    }
}

TEST_CASE("pipeline: a bubble is idle time, and a late transfer is exposed", "[pure]") {
  ModelParallelSpec spec = equal_layers(3);
  spec.degrees.pipeline = 3, spec.micro_batches = 5;
  const TaskGraph graph = model_parallel(spec);
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
  ModelParallelSpec spec = equal_layers(4);
  spec.degrees.pipeline = 4, spec.micro_batches = 8;
  const TaskGraph graph = model_parallel(spec);
  for (int s = 0; s < 4; ++s) {
    int held = 0, most = 0;
    for (const Task& task : graph.tasks)
      if (task.layer == s && task.kind == TaskKind::compute && task.pass != Pass::input_gradient) {
        held += task.pass == Pass::forward ? 1 : -1;
        most = std::max(most, held);
      }
    CHECK(most == 4 - s);
  }
}

TEST_CASE("pipeline: a boundary moves the inputs of its layer, and the longest stage is as short as possible", "[pure]") {
  ModelParallelSpec spec = equal_layers(5);
  spec.layers[2].step.forward = Work::of_time(40);
  CHECK(stages_of(spec.layers, 2) == std::vector<std::size_t>{0, 2, 5});  // 60 and 120; 120 and 60 is not shorter
  CHECK(stages_of(spec.layers, 3) == std::vector<std::size_t>{0, 2, 3, 5});
  CHECK_THROWS_WITH(stages_of(spec.layers, 6), Contains("5 layers"));
  spec.degrees.pipeline = 2, spec.replicas = 3;
  spec.layers[2].inputs = 100;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  std::uint64_t sent = 0;
  for (const Task& task : graph.tasks)
    if (task.kind == TaskKind::send) sent += task.transfer.bytes;
  CHECK(sent == 3 * 2 * 100 * 4);  // replicas, both directions, 4 B each
}

TEST_CASE("tensor parallel: a block and micro-batch needs four all-reduces, none hidden", "[pure]") {
  ModelParallelSpec spec = blocks(3);
  spec.degrees.tensor = 4, spec.micro_batches = 2;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(count_of(graph, TaskKind::collective) == 4 * 3 * 2);
  CHECK(bytes_of(graph, "allreduce") == 4 * 3 * 2 * 64 * 4);
  const StepReport r = report(graph, ideal_run(graph, transfers_of(7)));
  CHECK(r.iterations[0].time() == 2 * 3 * (4 * 30 + 4 * 7));
  CHECK(r.iterations[0].overlap == 0);
  CHECK(r.iterations[0].exposed == 2 * 3 * 4 * 7);
}

TEST_CASE("tensor parallel: adjacent layers that are split by outputs have one sum of gradients", "[pure]") {
  ModelParallelSpec spec = blocks(1);
  spec.layers.insert(spec.layers.begin(), 2, spec.layers.front());  // separate queries, keys and values
  spec.degrees.tensor = 2;
  CHECK(count_of(model_parallel(spec), TaskKind::collective) == 4);
  spec.first_input_gradient = false;  // then the first layer has no gradients to sum
  CHECK(count_of(model_parallel(spec), TaskKind::collective) == 3);
}

TEST_CASE("tensor parallel: replicas reduce gradients during the backward pass, in groups of equal slices", "[pure]") {
  ModelParallelSpec spec = blocks(1);
  spec.degrees.tensor = 2, spec.replicas = 3;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(graph.ranks == 6);
  CHECK(graph.groups[graph.group_of("tp1")].ranks == std::vector<int>{2, 3});
  CHECK(graph.groups[graph.group_of("dp1")].ranks == std::vector<int>{1, 3, 5});
  CHECK(bytes_of(graph, "allreduce") == 3 * 4 * 64 * 4 + 2 * 4 * 1000 * 4);  // activations; weights of four layers
  spec.plan.mode = Mode::one_shot;
  CHECK(bytes_of(model_parallel(spec), "allreduce") == bytes_of(graph, "allreduce"));
  CHECK(count_of(model_parallel(spec), TaskKind::collective) == count_of(graph, TaskKind::collective) - 2 * 3);
}

TEST_CASE("expert parallel: a run of layers with experts needs four all-to-alls", "[pure]") {
  ModelParallelSpec spec = equal_layers(5);
  for (std::size_t l : {1u, 2u, 4u}) spec.layers[l].chosen = 2;
  spec.degrees.expert = 8, spec.replicas = 8, spec.capacity = 1.25;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(bytes_of(graph, "alltoall") == 2 * 4 * 64 * 2 * 5 / 4 * 4);  // runs, exchanges, elements, top-2, capacity, bytes
  CHECK(bytes_of(graph, "allreduce") == 2 * 1000 * 4);               // layers without experts
  // The sum of the first layer's gradients is not hidden; that of layer 3 shares the ranks with an all-to-all.
  CHECK(ideal_run(graph, transfers_of(6)).end == 5 * 30 + 2 * 4 * 6 + 6 + 6);
  spec.replicas = 16;  // two ranks have the same experts
  CHECK(bytes_of(model_parallel(spec), "allreduce") == 2 * 1000 * 4 + 8 * 3 * 1000 * 4);
  spec.replicas = 12;
  CHECK_THROWS_WITH(model_parallel(spec), Contains("expert=8 does not divide 12 replicas"));
}

TEST_CASE("tensor, pipeline and replicas combined: each rank computes its slice, and every byte has its address", "[pure]") {
  ModelParallelSpec spec = blocks(4);
  spec.degrees.tensor = 2, spec.degrees.pipeline = 2, spec.replicas = 2, spec.micro_batches = 3, spec.iterations = 2;
  spec.update = [](std::uint64_t parameters) { return static_cast<Tick>(parameters / 1000); };
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(graph.ranks == 8);
  CHECK(graph.groups[graph.group_of("tp2")].ranks == std::vector<int>{4, 5});
  CHECK(graph.groups[graph.group_of("dp2")].ranks == std::vector<int>{4, 6});
  CHECK(count_of(graph, TaskKind::send) == 2 * 3 * 2 * 4);  // iterations, micro-batches, both directions, ranks of a stage
  const IdealRun run = ideal_run(graph, transfers_of(0));
  const StepReport r = report(graph, run);
  CHECK(r.iterations[1].compute == 3 * 8 * 30);
  CHECK(r.iterations[1].optimizer == 8);
  CHECK(r.iterations[1].time() == (3 + 1) * 8 * 30 + 8);
}

TEST_CASE("pipeline: weights that two stages share are summed by both", "[pure]") {
  ModelParallelSpec spec = equal_layers(4);
  spec.layers[3].step.tensors = {10};
  spec.layers[3].step.shares = 0;
  spec.degrees.pipeline = 2, spec.replicas = 2;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(graph.groups[graph.group_of("tied3_1")].ranks == std::vector<int>{1, 3});
  // Two pairs of ranks; replicas of layers 0 to 2, and of the last with its copy.
  CHECK(bytes_of(graph, "allreduce") == 2 * 1000 * 4 + 3 * 1000 * 4 + 1010 * 4);
}

TEST_CASE("sharded: gradients and parameters move the bytes of ZeRO", "[pure]") {
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

TEST_CASE("fully sharded: a unit is gathered while the previous unit computes, and no earlier", "[pure]") {
  const TaskGraph graph = data_parallel(four_layers(Sharding::all));
  const IdealRun run = ideal_run(graph, transfers_of(5));
  // Forward of the first layer waits 5 for its parameters; those of the others arrive meanwhile.
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

}  // namespace tributary::test_model_parallel
