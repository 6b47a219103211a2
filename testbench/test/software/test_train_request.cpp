#include <catch2/catch.hpp>

#include "testbench/cli/command_line.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/train_step.h"

namespace tributary::test_train_request {

using Catch::Matchers::Contains;

namespace {

TrainRequest parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "train");
  return std::get<TrainRequest>(parse_command_line(arguments));
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
  const auto step = [](const std::vector<std::string>& arguments, int ranks) {
    std::vector<std::string> all{"--model", "gpt2", "--compute", "roofline"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return training::train_step(parse(all).params, ranks, "push", 1);
  };
  CHECK(step({"--parallel", "tensor=4,pipeline=2"}, 16).replicas == 2);
  CHECK(step({"--parallel", "none"}, 16).replicas == 16);
  CHECK(step({"--parallel", "tensor=4"}, 4).graph.groups[1].name == "tp0");
  CHECK_THROWS_WITH(step({"--parallel", "tensor=3"}, 16), Contains("16 ranks (legal: a multiple of 3)"));
  CHECK_THROWS_WITH(step({"--parallel", "tensor=2,expert=3"}, 16), Contains("8 replicas (legal: a multiple of 3)"));
  CHECK_THROWS_WITH(step({"--parallel", "expert=2"}, 16), Contains("expert=2 needs layers with experts"));
  CHECK_THROWS_WITH(step({"--parallel", "pipeline=64"}, 64), Contains("51 layers"));
  for (const std::vector<std::string>& beside : std::vector<std::vector<std::string>>{
           {"--grouping", "fusion"}, {"--order", "priority"}, {"--queues", "2"}, {"--sharding", "all"}}) {
    std::vector<std::string> all{"--parallel", "tensor=2"};
    all.insert(all.end(), beside.begin(), beside.end());
    CHECK_THROWS_WITH(step(all, 16), Contains("is not supported with training.parallel (legal: "));
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

}  // namespace tributary::test_train_request
