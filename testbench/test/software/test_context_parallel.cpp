#include <algorithm>
#include <catch2/catch.hpp>

#include "testbench/test/harness/model_layers.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/model_parallel.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/step_report.h"
#include "testbench/workload/training/step_spec.h"

namespace tributary::test_context_parallel {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

/// A block whose second layer has attention of 8 forward and 12 backward, and keys and values of 33 elements; its product
/// takes 2, and 8 backward.
ModelParallelSpec attention_block() {
  ModelParallelSpec spec = blocks(1);
  PartLayer& layer = spec.layers[1];
  layer.step.attention = Work::of_time(8), layer.step.attention_gradient = Work::of_time(12), layer.keys = 33;
  layer.step.input_gradient = Work::of_time(16), layer.step.weight_gradient = Work::of_time(4);
  return spec;
}

/// Every collective of this kind of group lasts `time`, all others none.
Tick time_of(const TaskGraph& graph, const std::string& groups, Tick time) {
  IdealOptions options;
  options.transfer = [&, time](const Task& task) {
    return TransferTime{graph.groups[task.group].name.rfind(groups, 0) == 0 ? time : 0, 0, 0};
  };
  return ideal_run(graph, options).end;
}

}  // namespace

TEST_CASE("context: ranks of a sequence are adjacent replicas, and sum gradients with all replicas", "[pure]") {
  ModelParallelSpec spec = attention_block();
  spec.degrees.tensor = 2, spec.degrees.context = 2, spec.replicas = 4;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  CHECK(graph.ranks == 8);
  CHECK(graph.groups[graph.group_of("cp0")].ranks == std::vector<int>{0, 2});
  CHECK(graph.groups[graph.group_of("cp1")].ranks == std::vector<int>{4, 6});
  CHECK(graph.groups[graph.group_of("cp2")].ranks == std::vector<int>{1, 3});
  CHECK(graph.groups[graph.group_of("dp0")].ranks == std::vector<int>{0, 2, 4, 6});
  // Each of two ranks sends 33 elements forward, and twice as many backward: an all-gather of both, in 4 groups.
  CHECK(bytes_of(graph, "allgather", "cp") == 4 * 3 * (2 * 33) * 4);
}

TEST_CASE("context: keys and values go round a ring of c-1 steps during attention", "[pure]") {
  ModelParallelSpec spec = attention_block();
  spec.degrees.context = 4, spec.replicas = 4;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  // A step sends 33 elements of a rank to the next, forward; an all-gather of four parts has three such steps.
  CHECK(bytes_of(graph, "allgather", "cp") == 3 * (1 + 2) * 33 * 4 / 3 * 4);
  const Tick compute = 4 * 30;
  CHECK(time_of(graph, "cp", 0) == compute);
  CHECK(time_of(graph, "cp", 2) == compute);                // a part of attention takes 2
  CHECK(time_of(graph, "cp", 3) == compute + 3 * (3 - 2));  // a part backward takes 3
  CHECK(time_of(graph, "cp", 5) == compute + 3 * 3 + 3 * (5 - 3));
  // The parts have the time of the whole.
  Tick parts = 0;
  for (const Task& task : graph.tasks)
    if (task.name.rfind("part ", 0) == 0) parts += task.work.time;
  CHECK(parts == 8 + 12);
}

TEST_CASE("context: recomputation repeats the ring", "[pure]") {
  ModelParallelSpec spec = attention_block();
  spec.degrees.context = 2, spec.replicas = 2, spec.recompute = Recompute::selective;
  CHECK(bytes_of(model_parallel(spec), "allgather", "cp") == (1 + 1 + 2) * 2 * 33 * 4);
  spec.recompute = Recompute::full;
  CHECK(bytes_of(model_parallel(spec), "allgather", "cp") == (1 + 1 + 2) * 2 * 33 * 4);
}

TEST_CASE("context: Llama 3 70B sends the keys and values of its tokens", "[pure]") {
  TrainParams p;
  p.training.dtype = ElementType::bf16, p.training.sequences = 16;
  p.training.parallel.tensor = 4, p.training.parallel.context = 2, p.training.parallel.pipeline = 4;
  p.compute.model = ComputeModel::roofline, p.compute.kernels = Kernels::all, p.compute.attention = AttentionKernel::fused;
  const Model model = find_model("llama3-70b");
  const TrainParams passes = with_passes(model, p, 64);
  CHECK(passes.training.batch == 8192);
  CHECK(passes.training.accumulate == 8);  // two replicas
  const StepSpec spec = step_spec(model, passes, 64, "ring");
  CHECK(spec.graph.replicas == 4);
  for (const PartLayer& layer : spec.graph.layers) CHECK((layer.keys == 0 || layer.keys == 2 * 2 * 128 * 4096));
  CHECK(std::count_if(spec.graph.layers.begin(), spec.graph.layers.end(), [](const auto& l) { return l.keys > 0; }) == 80);
  // Half of the tokens attend to all of them: half the time, also of the products.
  p.training.parallel.context = 1;
  const StepSpec whole = step_spec(model, with_passes(model, p, 64), 64, "ring");
  const StepLayer &half = spec.graph.layers[2].step, &all = whole.graph.layers[2].step;
  CHECK(all.attention.time > 0);
  CHECK(static_cast<double>(half.attention.time) == Approx(static_cast<double>(all.attention.time) / 2));
  // A step has the operations of its 16 sequences, 3.94e15 each (NVIDIA/dgxc-benchmarking), however ranks divide them.
  CHECK(whole.flop == Approx(16 * 3.94e15).epsilon(0.002));
  CHECK(spec.flop == Approx(whole.flop));
  CHECK(static_cast<double>(half.attention_gradient.time) == Approx(static_cast<double>(all.attention_gradient.time) / 2));
  CHECK(static_cast<double>(half.attention_gradient.time) == Approx(2.5 * static_cast<double>(half.attention.time)));
}

TEST_CASE("context: refusals", "[pure]") {
  ModelParallelSpec spec = blocks(1);
  spec.degrees.context = 2, spec.replicas = 4;
  CHECK_THROWS_WITH(model_parallel(spec), Contains("context=2 needs layers with attention"));
  spec = attention_block();
  spec.degrees.context = 3, spec.replicas = 4;
  CHECK_THROWS_WITH(model_parallel(spec), Contains("context=3 does not divide 4 replicas"));
  TrainParams p;
  p.training.parallel.context = 2;
  CHECK_THROWS_WITH(step_spec(find_model("resnet50"), p, 8, "ring"), Contains("the model counts samples"));
  CHECK_THROWS_WITH(step_spec(find_model("gpt2"), p, 9, "ring"), Contains("9 ranks with equal weights"));
  CHECK(ParameterText<ParallelDegrees>::print(ParameterText<ParallelDegrees>::parse("pipeline=4,context=2,tensor=8")) ==
        "tensor=8,context=2,pipeline=4");
}

TEST_CASE("tensor overlap: a transfer and its product take the time of the longer", "[pure]") {
  ModelParallelSpec spec = blocks(1);
  spec.degrees.tensor = 4, spec.sequence = true;
  const TaskGraph apart = model_parallel(spec);
  CHECK(time_of(apart, "tp", 7) == 4 * 30 + 8 * 7);
  spec.overlap = TensorOverlap::gemm;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  for (const char* collective : {"allgather", "reduce_scatter"})
    CHECK(bytes_of(graph, collective) == bytes_of(apart, collective));
  CHECK(time_of(graph, "tp", 7) == 4 * 30);
  // Longer transfers are exposed by what products do not cover: each of four forward; the gathers of gradients, by 3 beside
  // the input gradient of 10; and the gathers of inputs with the scatters that follow them, 26 beside two products.
  CHECK(time_of(graph, "tp", 13) == 4 * 13 + 2 * (13 + 10 + 13 + 13));
  spec.weight_first = true;
  CHECK_NOTHROW(check(model_parallel(spec)));
  spec.sequence = false;
  CHECK_THROWS_WITH(model_parallel(spec), Contains("comm.tensor_overlap=gemm without training.sequence_parallel"));
}

TEST_CASE("tensor overlap: attention hides no transfer of the product after it", "[pure]") {
  ModelParallelSpec spec = attention_block();
  spec.degrees.tensor = 4, spec.sequence = true, spec.overlap = TensorOverlap::gemm;
  const TaskGraph graph = model_parallel(spec);
  CHECK_NOTHROW(check(graph));
  // The product of 2 hides 2 of 7 forward, and that of 4 hides 4 of 7 backward.
  CHECK(time_of(graph, "tp", 7) == 4 * 30 + 5 + 3);
}

}  // namespace tributary::test_context_parallel
