#include <algorithm>
#include <catch2/catch.hpp>

#include "testbench/test/harness/model_layers.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/model_parallel.h"
#include "testbench/workload/training/models/model.h"
#include "testbench/workload/training/pipeline_order.h"
#include "testbench/workload/training/step_report.h"

namespace tributary::test_parallel_forms {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

std::size_t count_of(const TaskGraph& graph, const std::string& name) {
  return static_cast<std::size_t>(
      std::count_if(graph.tasks.begin(), graph.tasks.end(), [&](const Task& t) { return t.name.rfind(name, 0) == 0; }));
}

Tick time_of(const TaskGraph& graph, Tick transfer = 0) { return ideal_run(graph, transfers_of(transfer)).end; }

}  // namespace

TEST_CASE("interleaved pipeline: the order of Megatron-LM", "[pure]") {
  using Order = std::vector<StagePass>;
  const auto f = [](unsigned m, unsigned turn) { return StagePass{true, m, turn}; };
  const auto b = [](unsigned m, unsigned turn) { return StagePass{false, m, turn}; };
  // Two micro-batches pass through the first stage, then through the second; backward begins with the last stage.
  CHECK(pipeline_order({2, 2, 2}, 1) == Order{f(0, 0), f(1, 0), f(0, 1), b(0, 1), f(1, 1), b(1, 1), b(0, 0), b(1, 0)});
  CHECK(pipeline_order({2, 2, 4}, 0) == Order{f(0, 0), f(1, 0), f(0, 1), f(1, 1), f(2, 0), b(0, 1), f(3, 0), b(1, 1),
                                              f(2, 1), b(0, 0), f(3, 1), b(1, 0), b(2, 1), b(3, 1), b(2, 0), b(3, 0)});
  CHECK(pipeline_order({2, 1, 2}, 0) == Order{f(0, 0), f(1, 0), b(0, 0), b(1, 0)});
  CHECK_THROWS_WITH(pipeline_order({4, 2, 6}, 0), Contains("6 passes") && Contains("multiple of pipeline=4"));
}

TEST_CASE("interleaved pipeline: the bubble shrinks by the number of stages of a rank", "[pure]") {
  for (unsigned places : {2u, 4u})
    for (unsigned turns : {1u, 2u, 3u})
      for (unsigned batches : {4u, 8u}) {
        ModelParallelSpec spec = equal_layers(places * turns);
        spec.degrees.pipeline = places, spec.virtual_stages = turns, spec.micro_batches = batches, spec.iterations = 2;
        const TaskGraph graph = model_parallel(spec);
        CHECK_NOTHROW(check(graph));
        CHECK(graph.ranks == static_cast<int>(places));
        CHECK(time_of(graph) == 2 * 30 * (batches * turns + places - 1));
        CHECK(count_of(graph, "send") == 2 * 2 * batches * (places * turns - 1));
      }
  ModelParallelSpec spec = equal_layers(4);
  spec.virtual_stages = 2;
  CHECK_THROWS_WITH(model_parallel(spec), Contains("pipeline=N"));
}

TEST_CASE("interleaved pipeline: a rank sums the gradients of all its stages once", "[pure]") {
  ModelParallelSpec spec = equal_layers(4);
  spec.layers[3].step.tensors = {10}, spec.layers[3].step.shares = 1;  // both at place 1
  spec.layers[2].step.tensors = {}, spec.layers[2].step.shares = 1;    // at place 0
  spec.degrees.pipeline = 2, spec.virtual_stages = 2, spec.micro_batches = 2, spec.replicas = 2, spec.iterations = 2;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(bytes_of(graph, "allreduce", "dp0") == 2 * 2000 * 4);  // l0, and the copy of l1's weights for l2
  CHECK(bytes_of(graph, "allreduce", "dp1") == 2 * 1010 * 4);
  CHECK(bytes_of(graph, "allreduce", "tied") == 2 * 2 * 1000 * 4);
}

TEST_CASE("sequence parallel: gathers and scatters replace the sums of activations", "[pure]") {
  ModelParallelSpec spec = blocks(1);
  for (PartLayer& layer : spec.layers) layer.whole = 8;
  spec.degrees.tensor = 4, spec.micro_batches = 2;
  const TaskGraph sums = model_parallel(spec);
  CHECK(bytes_of(sums, "allreduce") == 2 * 4 * 64 * 4);
  spec.sequence = true;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  // Attention and MLP: forward gathers and scatters, backward gathers twice (gradients, and inputs again) and scatters.
  CHECK(bytes_of(graph, "allgather") == 2 * 2 * 3 * 64 * 4);
  CHECK(bytes_of(graph, "reduce_scatter") == 2 * 2 * 2 * 64 * 4);
  CHECK(bytes_of(graph, "allreduce") == 4 * 8 * 4);  // weights that all ranks hold, once per iteration
  // The second gather of the inputs overlaps the input gradient; all other transfers are exposed.
  const IterationReport r = report(graph, ideal_run(graph, transfers_of(7))).iterations.front();
  CHECK(r.compute == 2 * 4 * 30);
  CHECK(r.exposed == 2 * 2 * 4 * 7 + 7);
  CHECK(r.overlap == 2 * 2 * 7);
  spec.degrees.tensor = 1;
  CHECK_THROWS_WITH(model_parallel(spec), Contains("tensor=N"));
}

TEST_CASE("sequence parallel: layers with the same inputs gather them once, and stages move a rank's tokens", "[pure]") {
  ModelParallelSpec spec = blocks(2);
  spec.layers.insert(spec.layers.begin(), 2, spec.layers.front());  // separate queries, keys and values
  spec.degrees.tensor = 2, spec.degrees.pipeline = 2, spec.sequence = true;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(bytes_of(graph, "allgather") == 4 * 3 * 64 * 4);
  for (const Task& task : graph.tasks)
    if (task.kind == TaskKind::send) CHECK(task.transfer.bytes == 64 / 2 * 4);
}

TEST_CASE("sharding beside tensor parallel and pipeline: the bytes of ZeRO in the groups of replicas", "[pure]") {
  ModelParallelSpec spec = blocks(2);
  spec.degrees.tensor = 2, spec.degrees.pipeline = 2, spec.replicas = 4, spec.micro_batches = 3, spec.iterations = 2;
  spec.update = [](std::uint64_t parameters) { return static_cast<Tick>(parameters); };
  const std::uint64_t weights = 2 * 8 * 1000 * 4;  // bytes of all ranks of a replica
  CHECK(bytes_of(model_parallel(spec), "allreduce", "dp") == 2 * weights);
  spec.sharding = Sharding::optimizer, spec.update_shards = true;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(bytes_of(graph, "allreduce", "dp") == 0);
  CHECK(bytes_of(graph, "reduce_scatter", "dp") == 2 * weights);
  CHECK(bytes_of(graph, "allgather", "dp") == 2 * weights);
  const IterationReport r = report(graph, ideal_run(graph, transfers_of(0))).iterations.back();
  CHECK(r.optimizer == 4 * 1000 / 4);  // a quarter of the weights of a stage
  spec.update_each = true;
  CHECK(report(model_parallel(spec), ideal_run(model_parallel(spec), transfers_of(0))).iterations.back().optimizer == 1000);

  spec.sharding = Sharding::all, spec.update_each = false;
  const TaskGraph all = model_parallel(spec);
  CHECK_NOTHROW(check(all));
  CHECK(bytes_of(all, "reduce_scatter", "dp") == 2 * 3 * weights);  // after every micro-batch
  CHECK(bytes_of(all, "allgather", "dp") == 2 * 3 * 2 * weights);   // forward and backward
  spec.plan.mode = Mode::bucket;
  CHECK_THROWS_WITH(model_parallel(spec), Contains("comm.grouping=layer_wise"));
}

TEST_CASE("sharding: gradients of a wider type are scattered, and weights gathered in their own", "[pure]") {
  ModelParallelSpec spec = blocks(2);
  spec.degrees.tensor = 2, spec.degrees.pipeline = 2, spec.replicas = 4;
  spec.type = ElementType::bf16, spec.gradient_type = ElementType::f32, spec.plan.element_bytes = 4;
  const std::uint64_t weights = 2 * 8 * 1000;  // of all ranks of a replica
  const TaskGraph sums = model_parallel(spec);
  CHECK(bytes_of(sums, "allreduce", "dp") == weights * 4);
  CHECK(bytes_of(sums, "allreduce", "tp") == 4 * 2 * 4 * 64 * 2);  // activations of two blocks, in 4 replicas
  for (const Sharding sharding : {Sharding::optimizer, Sharding::all}) {
    spec.sharding = sharding;
    const TaskGraph graph = model_parallel(spec);
    CHECK_NOTHROW(check(graph));
    CHECK(bytes_of(graph, "reduce_scatter", "dp") == weights * 4);
    CHECK(bytes_of(graph, "allgather", "dp") == (sharding == Sharding::all ? 2 : 1) * weights * 2);
    for (const Task& task : graph.tasks)
      if (task.kind == TaskKind::collective)
        CHECK((task.transfer.type == ElementType::f32) == (task.transfer.collective == "reduce_scatter"));
  }
}

TEST_CASE("sharding: replicas of a whole model scatter gradients of a wider type", "[pure]") {
  DataParallelSpec spec;
  spec.ranks = 4, spec.type = ElementType::bf16, spec.gradient_type = ElementType::f32;
  for (const PartLayer& layer : equal_layers(3).layers) spec.layers.push_back(layer.step);
  CHECK(bytes_of(data_parallel(spec), "allreduce") == 3 * 1000 * 4);
  for (const Sharding sharding : {Sharding::gradients, Sharding::all}) {
    spec.sharding = sharding;
    const TaskGraph graph = data_parallel(spec);
    CHECK(bytes_of(graph, "reduce_scatter") == 3 * 1000 * 4);
    CHECK(bytes_of(graph, "allgather") == (sharding == Sharding::all ? 2 : 1) * 3 * 1000 * 2);
  }
}

TEST_CASE("sharding beside experts: each rank updates its part of its own experts", "[pure]") {
  ModelParallelSpec spec = equal_layers(2);
  spec.layers[1].chosen = 1;
  spec.degrees.expert = 2, spec.replicas = 8;
  spec.update = [](std::uint64_t parameters) { return static_cast<Tick>(parameters); };
  spec.sharding = Sharding::optimizer, spec.update_shards = true;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  // 1000 weights over 8 replicas, and 1000 over the 4 replicas with the same experts.
  CHECK(report(graph, ideal_run(graph, transfers_of(0))).iterations.back().optimizer == 125 + 250);
}

TEST_CASE("queues and priority beside tensor parallel and pipeline", "[pure]") {
  ModelParallelSpec spec = blocks(1);
  spec.degrees.tensor = 2, spec.degrees.pipeline = 2, spec.replicas = 2, spec.iterations = 3, spec.queues = 3;
  const TaskGraph queues = model_parallel(spec);
  CHECK_NOTHROW(check(queues));
  std::vector<std::uint32_t> used;
  for (const Task& task : queues.tasks)
    if (task.kind == TaskKind::collective && queues.groups[task.group].name.rfind("dp", 0) == 0) used.push_back(task.queue);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  CHECK(used == std::vector<std::uint32_t>{3, 5});  // two layers of each stage

  // Sums of 40, ready at 50, 70 and 90: in turn they end at 90, 130 and 170. By priority the last goes before the second, so
  // forward of its layer begins at 130, and the next layer waits for the second sum until 170.
  spec = equal_layers(3);
  spec.replicas = 2, spec.iterations = 3;
  CHECK(report(model_parallel(spec), ideal_run(model_parallel(spec), transfers_of(40))).period() == 170);
  spec.priority = true;
  CHECK_NOTHROW(check(model_parallel(spec)));
  CHECK(report(model_parallel(spec), ideal_run(model_parallel(spec), transfers_of(40))).period() == 160);
}

TEST_CASE("recomputation: backward repeats forward of each block with its collectives", "[pure]") {
  ModelParallelSpec spec = blocks(2);
  for (std::size_t l = 0; l < spec.layers.size(); ++l) spec.layers[l].step.block = static_cast<int>(l / 4);
  spec.degrees.tensor = 2;
  CHECK(time_of(model_parallel(spec), 7) == 2 * (4 * 30 + 4 * 7));
  spec.recompute = Recompute::full;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(time_of(graph, 7) == 2 * (4 * 40 + 6 * 7));
  std::vector<std::string> backward;
  for (const Task& task : graph.tasks)
    if (task.kind == TaskKind::compute && task.name.rfind("forward", 0) != 0 && task.layer >= 4)
      backward.push_back(task.name);
  CHECK(backward == std::vector<std::string>{"repeated forward l4", "repeated forward l5", "repeated forward l6",
                                             "repeated forward l7", "ig l7", "wg l7", "ig l6", "wg l6", "ig l5", "wg l5",
                                             "ig l4", "wg l4"});
  spec.sequence = true;
  CHECK(bytes_of(model_parallel(spec), "allgather") == 4 * 4 * 64 * 4);

  DataParallelSpec data;
  data.ranks = 2, data.accumulate = 2;
  for (const PartLayer& layer : spec.layers) data.layers.push_back(layer.step);
  data.plan.mode = Mode::one_shot;
  CHECK(time_of(data_parallel(data)) == 2 * 8 * 30);
  data.recompute = Recompute::full;
  CHECK(time_of(data_parallel(data)) == 2 * 8 * 40);
  CHECK(count_of(data_parallel(data), "repeated forward l0") == 2);
  data.plan.mode = Mode::fusion, data.plan.cycle = 1000;
  CHECK(time_of(data_parallel(data)) == 1000);  // the gradients are ready at 640, and sent at the end of the first cycle
}

TEST_CASE("recomputation with sharded parameters: a block is gathered once for forward and backward", "[pure]") {
  ModelParallelSpec spec = equal_layers(4);
  for (std::size_t l = 0; l < 4; ++l) spec.layers[l].step.block = static_cast<int>(l / 2);
  spec.replicas = 2, spec.sharding = Sharding::all, spec.recompute = Recompute::full;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(bytes_of(graph, "allgather") == 2 * 4 * 1000 * 4);
  // Gathers of 5 hide behind layers of 10; only the first of forward and of backward are exposed.
  CHECK(time_of(graph, 5) == 5 + 40 + 5 + 4 * 30 + 5);
}

TEST_CASE("blocks by name: up to the first number between dots, or the last dot", "[pure]") {
  CHECK(block_name("h.0.c_attn") == "h.0");
  CHECK(block_name("layers.12.attention.wq") == "layers.12");
  CHECK(block_name("layer1.0.conv1") == "layer1.0");
  CHECK(block_name("l0.qkv") == "l0");
  CHECK(block_name("features.10").empty());
  CHECK(block_name("conv1").empty());
}

TEST_CASE("pipeline: stages of equal numbers of blocks hold single layers at the ends", "[pure]") {
  ModelParallelSpec spec = equal_layers(1 + 4 * 3 + 2);  // a table, four blocks of three layers, and two layers at the end
  for (std::size_t l = 0; l < spec.layers.size(); ++l)
    spec.layers[l].step.block = l == 0 || l > 12 ? static_cast<int>(100 + l) : static_cast<int>((l - 1) / 3);
  using Stages = std::vector<std::size_t>;
  CHECK(stages_of(spec.layers, 4, StageRule::blocks) == Stages{0, 4, 7, 10, 15});
  CHECK(stages_of(spec.layers, 2, StageRule::blocks) == Stages{0, 7, 15});
  CHECK(stages_of(spec.layers, 1, StageRule::blocks) == Stages{0, 15});
  CHECK(stages_of(spec.layers, 4) != Stages{0, 4, 7, 10, 15});  // at most four layers in a stage
  CHECK_THROWS_WITH(stages_of(spec.layers, 5, StageRule::blocks),
                    "training.stages=blocks: 4 blocks of layers on 5 stages (legal: stages that divide them, or 2 more, or "
                    "training.stages=balanced)");
  // The first and the last stage have a block less, if the single layers there count as one each.
  CHECK(stages_of(spec.layers, 3, StageRule::blocks) == Stages{0, 4, 10, 15});
  spec.degrees.pipeline = 2, spec.virtual_stages = 2, spec.micro_batches = 2, spec.stage_rule = StageRule::blocks;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  // Rank 0 has stages 0 and 2, of 4 and 3 layers; rank 1 has 3 and 5.
  const IdealRun run = ideal_run(graph, transfers_of(0));
  Tick busy[2] = {0, 0};
  for (InstanceId i = 0; i < run.instances.size(); ++i)
    if (graph.tasks[run.instances.task(i)].kind == TaskKind::compute)
      busy[run.instances.rank(i)] += run.spans[i].end - run.spans[i].begin;
  CHECK(busy[0] == 2 * 7 * 30);
  CHECK(busy[1] == 2 * 8 * 30);
}

}  // namespace tributary::test_parallel_forms
