#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "testbench/cli/command_line.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/models/model_file.h"
#include "testbench/workload/training/train_step.h"

namespace tributary::test_train_request {

using Catch::Matchers::Contains;

namespace {

TrainRequest parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "train");
  return std::get<TrainRequest>(parse_command_line(arguments));
}

/// Returns the compute time of a rank in a graph of one iteration.
Tick compute_on(const training::TaskGraph& graph, int rank) {
  Tick time = 0;
  for (const training::Task& task : graph.tasks) {
    const std::vector<int> ranks = graph.ranks_of(task);
    if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end()) time += task.work.time;
  }
  return time;
}

}  // namespace

TEST_CASE("train: short options set parameters, and override --set and presets", "[pure][cli]") {
  const TrainRequest request = parse({"--model", "alexnet", "--grouping", "bucket", "--set", "comm.grouping=one_shot",
                                      "--set", "compute.arrays=8", "--set", "nvswitch.link.latency=30ns", "--batch", "64"});
  CHECK(request.params.training.model.text == "alexnet");
  CHECK(request.params.comm.mode == training::Mode::bucket);
  CHECK(request.params.compute.arrays == 8);
  CHECK(request.params.training.batch == 64);
  const TrainRequest preset = parse({"--preset", "klenk-volta", "--batch", "1280"});
  CHECK(preset.params.training.batch == 1280);
  CHECK(preset.params.compute.model == training::ComputeModel::roofline);
  CHECK(preset.run.spec.jobs.front().type == ElementType::f16);
  CHECK(preset.run.spec.data == DataMode::none);
}

TEST_CASE("train: invalid requests are rejected in one line", "[pure][cli]") {
  CHECK_THROWS_WITH(parse({"--model", "resnet51"}), Contains("resnet50"));
  CHECK_THROWS_WITH(parse({"--grouping", "buckets"}), Contains("--grouping: comm.grouping") && Contains("layer_wise"));
  CHECK_THROWS_WITH(parse({"--set", "comm.quues=2"}), Contains("did you mean comm.queues?"));
  CHECK_THROWS_WITH(parse({"--batch", "0"}), Contains("out of range"));
  CHECK_THROWS_WITH(parse({"--batch", "1", "--batch", "2"}), Contains("given twice"));
  CHECK_THROWS_WITH(parse({"--platform", "dgx3"}), Contains("dgx2"));
  CHECK_THROWS_WITH(parse({"--set", "compute.factors=3"}), Contains("RANK:FACTOR"));
  CHECK_THROWS_AS(parse({"--preset", "klenk"}), InputError);
  for (const char* wrong : {"tensor", "tensor=", "tensor=0", "tensor=2,tensor=2", "rows=2", "tensor=2,", "pipeline=2000"})
    CHECK_THROWS_WITH(parse({"--parallel", wrong}), Contains("--parallel: training.parallel") && Contains("pipeline=N"));
}

TEST_CASE("train: a model over several ranks leaves replicas, and unsupported combinations are rejected", "[pure]") {
  const auto step = [](const std::vector<std::string>& arguments, int ranks, const char* model = "gpt2") {
    std::vector<std::string> all{"--model", model, "--compute", "roofline"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return training::train_step(parse(all).params, ranks, "push", 1);
  };
  CHECK(step({"--parallel", "tensor=4,pipeline=2"}, 16).replicas == 2);
  CHECK(step({"--parallel", "none"}, 16).replicas == 16);
  CHECK(step({"--parallel", "tensor=4"}, 4).graph.groups[1].name == "tp0");
  CHECK_THROWS_WITH(step({"--parallel", "tensor=3"}, 16), Contains("16 ranks (legal: a multiple of 3)"));
  CHECK_THROWS_WITH(step({"--parallel", "tensor=2,expert=4"}, 12, "gpt2-experts"),
                    Contains("6 replicas (legal: a multiple of 4)"));
  CHECK_THROWS_WITH(step({"--parallel", "expert=2"}, 16), Contains("expert=2 needs layers with experts"));
  CHECK_THROWS_WITH(step({"--parallel", "pipeline=64"}, 64), Contains("51 layers"));
  CHECK_THROWS_WITH(step({"--parallel", "tensor=2", "--grouping", "fusion"}, 16),
                    Contains("is not supported with training.parallel (legal: "));
  CHECK_THROWS_WITH(step({"--parallel", "tensor=2", "--sharding", "all"}, 16), Contains("gpt2"));  // it shares weights
  for (const std::vector<std::string>& next :
       std::vector<std::vector<std::string>>{{"--order", "priority"}, {"--queues", "2"}, {"--sharding", "gradients"}}) {
    std::vector<std::string> all{"--parallel", "tensor=2"};
    all.insert(all.end(), next.begin(), next.end());
    CHECK(step(all, 16).replicas == 8);
  }
}

TEST_CASE("train: a step of a built-in model holds each of its weights once", "[pure]") {
  training::TrainParams params;
  for (const char* mode : {"one_shot", "layer_wise", "bucket", "fusion", "partition"}) {
    params.fields().set("comm.grouping", mode);
    const training::TrainStep step = training::train_step(params, 16, "push", 1);
    std::uint64_t bytes = 0;
    for (const training::Task& task : step.graph.tasks) bytes += task.transfer.bytes;
    CHECK(bytes == 4 * 25557032);
  }
}

TEST_CASE("train: the multiplications that a model file counts are divided in every layout", "[pure]") {
  // Attention, ten times the multiplications of its matrix: 3 x 2 x 10 485 760 x 120 000 / 120 TFLOP/s = 62 914.56 us.
  const training::Model model = training::parse_model(
      "name: m\nunit: token\nlayers:\n"
      "  - {name: a, matrix: [1024, 1024], macs: 10485760, split: outputs}\n"
      "  - {name: b, matrix: [1024, 1024], macs: 10485760, split: inputs}\n",
      "m.yaml");
  const Tick layer = 62'914'560'000;
  const auto compute = [&](const std::string& parallel, int ranks) {
    const TrainRequest request =
        parse({"--model", "gpt2", "--batch", "120000", "--compute", "roofline", "--set", "compute.launch=0ps", "--set",
               "training.first_input_gradient=true", "--parallel", parallel});
    const training::TaskGraph graph = training::train_step(model, request.params, ranks, "push", 1).graph;
    for (int rank = 1; rank < ranks; ++rank) CHECK(compute_on(graph, rank) == compute_on(graph, 0));
    return compute_on(graph, 0);
  };
  CHECK(compute("none", 2) == 2 * layer);
  CHECK(compute("pipeline=2", 2) == layer);
  CHECK(compute("tensor=2", 2) == layer);
  CHECK(compute("tensor=2", 4) == layer);
  CHECK(compute("tensor=4", 4) == layer / 2);
  CHECK(compute("tensor=2,pipeline=2", 4) == layer / 2);
}

TEST_CASE("train: the time unit of a text workload is a cycle, or graph.time_unit", "[pure]") {
  TemporaryFolder folder;
  const std::string path = folder.file("w.txt");
  std::ofstream(path) << "DATA\n1\na -1 300 NONE 0 1 NONE 0 1 NONE 0 1\n";
  const auto forward = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> arguments{"--graph", path};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return training::graph_step(path, parse(arguments).params, 2, 1).graph.tasks.at(0).work.time;
  };
  CHECK(forward({}) == 300'000);
  CHECK(forward({"compute.clock=2ns"}) == 600'000);
  CHECK(forward({"graph.time_unit=1us", "compute.clock=2ns"}) == 300'000'000);
}

TEST_CASE("train: nothing computes the input gradient of the first layer, unless a preset or measured times have it",
          "[pure]") {
  const auto gradients = [](const std::vector<std::string>& arguments) {
    const TrainRequest request = parse(arguments);
    const training::TaskGraph graph = training::train_step(request.model, request.params, 4, "ring", 1).graph;
    return std::count_if(graph.tasks.begin(), graph.tasks.end(),
                         [](const training::Task& task) { return task.pass == training::Pass::input_gradient; });
  };
  CHECK(gradients({"--model", "alexnet"}) == 7);  // 8 layers
  CHECK(gradients({"--model", "alexnet", "--set", "training.first_input_gradient=true"}) == 8);
  CHECK(gradients({"--model", "alexnet", "--parallel", "pipeline=2"}) == 7);
  CHECK(gradients({"--model", "alexnet", "--sharding", "all"}) == 7);
  CHECK(gradients({"--preset", "multitree", "--model", "scalesim-alexnet"}) == 5);
  // A time for an iteration is spread over all passes, and none of it is lost.
  const TrainRequest measured = parse({"--model", "alexnet", "--compute", "table", "--set", "compute.time=10ms"});
  CHECK(compute_on(training::train_step(measured.model, measured.params, 4, "ring", 1).graph, 0) == 10'000'000'000);
}

}  // namespace tributary::test_train_request
