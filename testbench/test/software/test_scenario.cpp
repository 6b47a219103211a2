#include <unistd.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "platforms/nvswitch/platform_params.h"
#include "testbench/cli/command_line.h"
#include "testbench/cli/requests/scenario.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_scenario {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::Equals;

namespace {

/// A file that goes when the test ends.
class ScenarioFile {
 public:
  explicit ScenarioFile(const std::string& text, const std::string& suffix = ".yaml")
      : path_(folder_.file("scenario" + suffix)) {
    std::ofstream(path_) << text;
  }
  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

RunRequest run(const ScenarioFile& file, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", file.path()});
  return std::get<RunRequest>(parse_command_line(more));
}

/// The complaint without the folder of the file.
std::string refusal(const std::string& text, const std::vector<std::string>& more = {}) {
  const ScenarioFile file(text);
  try {
    run(file, more);
  } catch (const InputError& error) {
    const std::string line = error.what();
    CHECK(line.find('\n') == std::string::npos);
    const auto at = line.find(file.path());
    return at == std::string::npos ? line : line.substr(0, at) + "FILE" + line.substr(at + file.path().size());
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a scenario holds the options of run", "[pure][cli]") {
  const ScenarioFile file(
      "platform: dgx2\n"
      "algorithm: pull\n"
      "gpus: 4\n"
      "size: 8MiB\n"
      "seed: 3\n"
      "no-data: true\n"
      "time_limit: 5ms\n"
      "parameters:\n"
      "  nvswitch.switch.reduction_table.bytes: 1KiB\n"
      "  nvswitch: { gpu: { dma: { waves: 8 } } }\n"
      "  nvswitch.pull.barrier: false\n");
  const RunSpec spec = run(file).spec;
  CHECK(spec.jobs[0].algorithm == "pull");
  CHECK(spec.jobs[0].ranks == std::vector<int>{0, 1, 2, 3});
  CHECK(spec.jobs[0].items.at(0).size == 8_MiB);
  CHECK(spec.seed == 3);
  CHECK(spec.data == DataMode::none);
  CHECK(spec.time_limit->value == 5'000'000'000);
  CHECK(spec.parameters.of<NvSwitchPlatformParams>().switches.reduction_table.bytes->value == 1024);
  CHECK(spec.parameters.of<NvSwitchPlatformParams>().gpu.dma.waves == 8u);
  CHECK_FALSE(spec.parameters.of<NvSwitchPlatformParams>().pull.barrier);
}

TEST_CASE("one job may stand under jobs", "[pure][cli]") {
  const ScenarioFile file("jobs:\n  - { collective: broadcast, ranks: [0, 2, 4-5], size: 4KiB }\n");
  const RunSpec spec = run(file).spec;
  CHECK(spec.jobs[0].collective == "broadcast");
  CHECK(spec.jobs[0].ranks == std::vector<int>{0, 2, 4, 5});
  CHECK(spec.jobs[0].items.at(0).size == 4_KiB);
  const ScenarioFile group("jobs:\n  - { collective: multicast, root: 1, targets: [0, 2-3], size: 4KiB }\n");
  CHECK(run(group).spec.jobs[0].targets == std::vector<int>{0, 2, 3});
}

TEST_CASE("the command line wins over the scenario", "[pure][cli]") {
  const ScenarioFile file(
      "algorithm: pull\nsizes: 1KiB:4KiB:x2\nranks: 0-3\nparameters: { nvswitch.link.latency: 30ns, nvswitch.link.rate: "
      "50GB/s }\n");
  const RunSpec spec =
      run(file, {"--algorithm", "ring", "--size", "64KiB", "--gpus", "8", "--set", "nvswitch.link.latency=40ns"}).spec;
  CHECK(spec.jobs[0].algorithm == "ring");
  REQUIRE(spec.jobs[0].items.size() == 1);
  CHECK(spec.jobs[0].items[0].size == 64_KiB);
  CHECK(spec.jobs[0].ranks.size() == 8);
  CHECK(spec.parameters.of<NvSwitchPlatformParams>().link.latency == 40_ns);
  CHECK(spec.parameters.of<NvSwitchPlatformParams>().link.rate == 50_GBps);
  CHECK(run(file, {"--no-data"}).spec.data == DataMode::none);
}

TEST_CASE("errors of a scenario name file, line and key", "[pure][cli]") {
  CHECK_THAT(refusal("size: 4KiB\nalgoritm: push\n"), Contains("FILE:2: unknown key 'algoritm'; did you mean algorithm?"));
  CHECK_THAT(refusal("size: 4Kb\n"), Contains("FILE:1: size: '4Kb': 'Kb' is not a unit of size"));
  CHECK_THAT(refusal("size: 4KiB\nparameters:\n  nvswitch.link.rate: 0GB/s\n"),
             Equals("FILE:3: parameters: nvswitch.link.rate: '0GB/s' is out of range (legal: 1MB/s to 10TB/s)"));
  CHECK_THAT(refusal("size: 4KiB\nparameters: { link.latancy: 1ns }\n"),
             Contains("FILE:2") && Contains("nvswitch.link.latency?"));
  CHECK_THAT(refusal("size: 4KiB\nparameters: 3\n"), Contains("FILE:2: parameters: a map"));
  CHECK_THAT(refusal("size: 4KiB\nalgorithm: rign\n"),
             Contains("FILE:2: algorithm: unknown allreduce algorithm") && Contains("ring?"));
  CHECK_THAT(refusal("size: 4KiB\nno-data: perhaps\n"), Contains("FILE:2: no-data: 'perhaps' (legal: true or false)"));
  CHECK_THAT(refusal("size: 4KiB\nsize: 8KiB\n"), Contains("FILE:2: size: given twice"));
  CHECK_THAT(refusal("size: 4KiB\nsizes: 4KiB:8KiB:x2\n"), Contains("exclude each other"));
  CHECK_THAT(refusal("size:\n  - 4KiB\n"), Contains("FILE:2: size: one value is expected"));
  CHECK_THAT(refusal("size:\n"), Contains("FILE:1: size: one value is expected"));
  CHECK_THAT(refusal("- size\n"), Contains("FILE:1: a scenario is a map of keys"));
  CHECK_THAT(refusal("size: 4KiB\nplatform: [dgx2\n"), Contains("FILE:") && !Contains("\n"));
  CHECK_THAT(refusal("size: [4KiB\n\tx"), Contains("FILE:2"));
  CHECK_THAT(refusal("? [a, b]\n: 1\n"), Contains("FILE:1: a key is a scalar name"));
  CHECK_THROWS_WITH(read_scenario("/nonexistent.yaml"),
                    Equals("/nonexistent.yaml: cannot be read: No such file or directory"));
  CHECK_THROWS_WITH(read_scenario("/"), Contains("/: cannot be read"));
}

TEST_CASE("several jobs at once", "[pure][cli]") {
  const ScenarioFile file(
      "size: 8MiB\nbackground: uniform:0.2\ndtype: f16\njobs:\n"
      "  - { algorithm: push, ranks: 0-7 }\n"
      "  - { algorithm: pull, ranks: [8, 9-11], size: 4KiB, start: 5us, dtype: i32, op: max }\n"
      "  - { collective: broadcast, ranks: 12-15, root: 3 }\n");
  const RunSpec spec = run(file, {"--seed", "4", "--no-data"}).spec;
  CHECK(spec.seed == 4);
  CHECK(spec.background_load == 0.2);
  CHECK(spec.jobs[0].algorithm == "push");
  CHECK(spec.jobs[0].type == ElementType::f16);
  CHECK(spec.jobs[0].items.at(0).size == 8_MiB);
  REQUIRE(spec.jobs.size() == 3);
  CHECK(spec.jobs[1].ranks == std::vector<int>{8, 9, 10, 11});
  CHECK(spec.jobs[1].start == 5_us);
  CHECK(spec.jobs[1].op == ReduceOp::max);
  CHECK(spec.jobs[1].type == ElementType::i32);
  CHECK(spec.jobs[1].items[0].size == 4_KiB);
  CHECK(spec.jobs[2].root == 3);
  CHECK(spec.jobs[2].items[0].size == 8_MiB);
}

TEST_CASE("keys of a job are its own, whichever job it is", "[pure][cli]") {
  const ScenarioFile file(
      "size: 4KiB\njobs:\n"
      "  - { collective: reduce, ranks: 0-3, root: 3, dtype: f16, op: max, start: 5us, size: 8KiB }\n"
      "  - { ranks: 4-7 }\n"
      "  - { collective: multicast, algorithm: ring, ranks: 8-11, targets: 1-2 }\n"
      "  - { collective: broadcast, ranks: 12-13 }\n");
  const std::vector<JobSpec> jobs = run(file).spec.jobs;
  REQUIRE(jobs.size() == 4);
  CHECK(jobs[0].root == 3);
  CHECK(jobs[0].start == 5_us);
  for (std::size_t j = 1; j < 4; ++j) {
    INFO(j);
    CHECK(jobs[j].root == 0);
    CHECK(jobs[j].start == 0_ns);
    CHECK(jobs[j].type == ElementType::f32);
    CHECK(jobs[j].op == ReduceOp::sum);
    CHECK(jobs[j].items.at(0).size == 4_KiB);
  }
  CHECK(jobs[1].collective == "allreduce");
  CHECK(jobs[1].algorithm == "push");
  CHECK(jobs[2].targets == std::vector<int>{1, 2});
  CHECK(jobs[3].targets.empty());
}

TEST_CASE("keys beside the jobs hold for all of them", "[pure][cli]") {
  const ScenarioFile file(
      "size: 4KiB\nstart: 2us\ndtype: i32\nalgorithm: pull\njobs:\n  - { ranks: 0-3, start: 5us }\n"
      "  - { ranks: 4-7 }\n");
  const std::vector<JobSpec> jobs = run(file).spec.jobs;
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].start == 5_us);
  CHECK(jobs[1].start == 2_us);
  for (const JobSpec& job : jobs) CHECK((job.type == ElementType::i32 && job.algorithm == "pull"));
}

TEST_CASE("jobs that cannot be", "[pure][cli]") {
  const std::string two = "jobs:\n  - { ranks: 0-7, size: 8MiB }\n  - { ranks: 8-15, ";
  CHECK_THAT(refusal(two + "sizes: 1KiB:4KiB:x2 }\n"),
             Equals("FILE:3: sizes: each of several concurrent jobs has one message (legal: size)"));
  CHECK_THAT(refusal(two + "messages: t.csv }\n"), Contains("FILE:3: messages: each of several concurrent jobs"));
  CHECK_THAT(refusal(two + "algorithm: rign, size: 4B }\n"), Contains("FILE:3: algorithm: unknown allreduce algorithm"));
  CHECK_THAT(refusal(two + "size: 4B, start: 5 }\n"), Contains("FILE:3: start: "));
  CHECK_THAT(refusal(two + "size: 4B, start: 2s }\n"), Contains("FILE:3: start: 2s is too late (legal: up to 1s)"));
  CHECK_THAT(refusal(two + "size: 4B, seed: 3 }\n"), Contains("FILE:3: unknown key of a job 'seed'"));
  CHECK_THAT(refusal(two + "size: 4B, size: 8B }\n"), Contains("FILE:3: size: given twice"));
  CHECK_THAT(refusal(two + "}\n"), Contains("a message size is missing"));
  CHECK_THAT(refusal(two + "size: 4B }\n", {"--algorithm", "pull"}),
             Contains("--algorithm: the scenario has several concurrent jobs"));
  CHECK_THAT(refusal("jobs: []\n"), Contains("FILE:1: jobs: a list of jobs is expected"));
  CHECK_THAT(refusal("jobs:\n  - { size: 4KiB, seed: 2 }\n"), Contains("FILE:2: unknown key of a job 'seed'"));
  CHECK_THAT(refusal("jobs: [ 3 ]\n"), Contains("FILE:1: jobs: a job is a map"));
}

TEST_CASE("background traffic", "[pure][cli]") {
  const auto load = [](const std::string& text) { return refusal("size: 4KiB\nbackground: '" + text + "'\n"); };
  CHECK(load("uniform:1") == "accepted");
  CHECK(load("uniform:1e-3") == "accepted");
  CHECK_THAT(load("uniform:0"),
             Equals("FILE:2: background: a load of 0 is out of range (legal: uniform:LOAD, above 0 and at "
                    "most 1, for instance uniform:0.2)"));
  for (const char* bad : {"uniform:1.01", "uniform:-0.1", "uniform:nan", "uniform:inf"})
    CHECK_THAT(load(bad), Contains("FILE:2: background: a load of") && Contains("out of range"));
  for (const char* bad : {"uniform:", "uniform:20%", "uniform:x", "uniform:0.2GB/s"})
    CHECK_THAT(load(bad), Contains("FILE:2: background: ") && Contains("is not a load (legal: uniform:LOAD"));
  const ScenarioFile rack("platform: rack:4\nsize: 4KiB\nbackground: incast:0.5@3\n");
  const RunSpec hosts = run(rack, {}).spec;
  CHECK((hosts.background_load == 0.5 && hosts.background_target == 3));
  CHECK(background_text(hosts) == "incast:0.5@3");
  for (const char* bad : {"0.2", "poisson:0.2", "uniform"})
    CHECK_THAT(load(bad), Contains("FILE:2: background: ") && Contains("is not background traffic"));
}

TEST_CASE("layers run last first, those without weights not at all", "[pure][cli]") {
  // Layer name, ifmap height, width, filter height, width, channels, filters, stride: weights = product of the middle four.
  const std::string header = "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,\n";
  const ScenarioFile file(header +
                              "first,8,8,3,3,2,4,1,\n"
                              "last,8,8,1,1,10,10,1,\n",
                          ".csv");
  const auto layers = std::get<RunRequest>(parse_command_line({"run", "--messages", file.path()})).spec;
  REQUIRE(layers.jobs[0].items.size() == 2);
  CHECK(layers.jobs[0].items[0].label == "last");
  CHECK(layers.jobs[0].items[0].size.value == 400);
  CHECK(layers.jobs[0].items[1].label == "first");
  CHECK(layers.jobs[0].items[1].size.value == 288);
  CHECK(layers.layer_total);
  const auto whole =
      std::get<RunRequest>(parse_command_line({"run", "--messages", file.path(), "--one-shot", "--dtype", "f16"})).spec;
  REQUIRE(whole.jobs[0].items.size() == 1);
  CHECK(whole.jobs[0].items[0].size.value == 344);
  CHECK_FALSE(whole.layer_total);
  CHECK_THROWS_WITH(parse_command_line({"run", "--messages", "/nonexistent.csv"}), Contains("/nonexistent.csv"));
  const ScenarioFile broken(header + "first,8,8,3,x,2,4,1,\n", ".csv");
  CHECK_THROWS_WITH(parse_command_line({"run", "--messages", broken.path()}), Contains(broken.path() + ":2"));
}

}  // namespace tributary::test_scenario
