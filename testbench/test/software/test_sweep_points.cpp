#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "platforms/nvswitch/platform_params.h"
#include "testbench/cli/command_line.h"
#include "testbench/cli/requests/axes.h"
#include "testbench/cli/requests/scenario.h"
#include "testbench/report/sweep_progress.h"
#include "testbench/report/sweep_table.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_sweep_points {

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using nlohmann::ordered_json;

namespace {

struct File {
  TemporaryFolder folder;
  std::string path = folder.file("s.yaml");
  explicit File(const std::string& text) { std::ofstream(path) << text; }
};

/// The points read the file again only for plug-ins, tables and models.
Sweep sweep(const std::string& text) { return Sweep(File(text).path); }

SweepPoint last(const Sweep& s) { return s.point(s.size() - 1); }

/// The complaint, without the folder of the file.
std::string refusal(const std::string& text) {
  const File file(text);
  try {
    Sweep(file.path).check([](std::size_t) { return true; });
  } catch (const InputError& error) {
    const std::string line = error.what();
    CHECK(line.find('\n') == std::string::npos);
    REQUIRE(line.rfind(file.path, 0) == 0);
    return "FILE" + line.substr(file.path.size());
  }
  return "accepted";
}

}  // namespace

TEST_CASE("every list of a scenario is an axis, and the points are their product", "[pure][sweep]") {
  const Sweep s = sweep(
      "algorithm: [push, ring]\nsize: [1KiB, 2KiB, 4KiB]\nseed: 3\n"
      "parameters: { nvswitch.switch.reduction_table.bytes: [128B, 256B], nvswitch: { link: { latency: 30ns } } }\n");
  CHECK(s.axes() == std::vector<std::string>{"algorithm", "size", "nvswitch.switch.reduction_table.bytes"});
  REQUIRE(s.size() == 12);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < s.size(); ++i) {
    ids.insert(s.point(i).id);
    const RunSpec spec = s.run(i).request.spec;
    CHECK(spec.seed == 3);
    CHECK(spec.parameters.of<NvSwitchPlatformParams>().link.latency == 30_ns);
  }
  CHECK(ids.size() == 12);
  CHECK(Sweep::value(s.point(0), "size") == "1KiB");
  CHECK(Sweep::value(s.point(1), "nvswitch.switch.reduction_table.bytes") == "256B");  // the last axis is the fastest
  CHECK(s.run(1).request.spec.parameters.of<NvSwitchPlatformParams>().switches.reduction_table.bytes->value == 256);
  CHECK(s.run(11).request.spec.jobs[0].algorithm == "ring");
  CHECK(s.run(11).request.spec.jobs[0].items.at(0).size == 4_KiB);
}

TEST_CASE("a list of ranks is an axis, and a list in it one set of ranks", "[pure][sweep]") {
  const Sweep s = sweep("size: 1KiB\nranks: [0-3, '0-3,8', [1, 3]]\n");
  REQUIRE(s.size() == 3);
  CHECK(s.run(1).request.spec.jobs[0].ranks == std::vector<int>{0, 1, 2, 3, 8});
  CHECK(s.run(2).request.spec.jobs[0].ranks == std::vector<int>{1, 3});
}

TEST_CASE("several documents are several products, and a point that two share runs once", "[pure][sweep]") {
  const Sweep s =
      sweep("size: 1KiB\ngpus: [4, 8]\n---\nsize: 1KiB\ngpus: 8\nalgorithm: [push, pull]\n---\nsize: 1KiB\ngpus: 4\n");
  CHECK(s.axes() == std::vector<std::string>{"gpus", "algorithm"});
  CHECK(s.size() == 4);
  // What differs between documents is told, too, though it is a list in none.
  CHECK(sweep("size: 1KiB\ngpus: [4, 8]\n---\nsize: 1KiB\nseed: 2\n").axes() == std::vector<std::string>{"gpus", "seed"});
}

TEST_CASE("a point is known by its content, wherever it stands in the file", "[pure][sweep]") {
  const auto id = [](const std::string& text) { return last(sweep(text)).id; };
  const std::string here = id("size: 1KiB\nseed: 2\nparameters: { nvswitch.link.latency: 30ns }\n");
  CHECK(id("seed: 2\nparameters: { nvswitch: { link: { latency: 30ns } } }\nsize: [4KiB, 1KiB]\n") == here);
  CHECK(id("size: 1KiB\nseed: 2\nquiet: true\nparameters: { nvswitch.link.latency: 30ns }\n") == here);
  CHECK(id("size: 1KiB\nseed: 3\nparameters: { nvswitch.link.latency: 30ns }\n") != here);
  CHECK(id("size: 1KiB\nseed: 2\nparameters: { nvswitch.link.latency: 31ns }\n") != here);

  TemporaryFolder folder;
  const std::string table = folder.file("layers.csv");
  const std::string header = "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,\n";
  const auto point = [&](const std::string& line) {
    std::ofstream(table) << header << line;
    std::ofstream(folder.file("m.yaml")) << "messages: " << table << "\n";
    return Sweep(folder.file("m.yaml")).point(0).id;
  };
  CHECK(point("a,8,8,3,3,2,4,1,\n") != point("a,8,8,3,3,2,8,1,\n"));
}

TEST_CASE("paths in a scenario are relative to its file, and the identity of a point holds them as they are written",
          "[pure][sweep]") {
  const std::string rows =
      "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,\na,8,8,3,3,2,4,1,\n";
  TemporaryFolder folder, other;
  for (const TemporaryFolder* f : {&folder, &other}) {
    std::ofstream(f->file("layers.csv")) << rows;
    std::ofstream(f->file("s.yaml")) << "messages: layers.csv\n";
  }
  const Sweep s(folder.file("s.yaml"));
  CHECK(s.run(0).request.spec.jobs.front().items.front().label == "a");
  CHECK(Sweep::value(s.point(0), "messages") == "layers.csv");
  CHECK(s.point(0).id == Sweep(other.file("s.yaml")).point(0).id);

  std::ofstream(folder.file("r.yaml")) << "size: 1KiB\njson: out.json\ncsv: '-'\nvcd: /nowhere.d/w.vcd\n";
  const Settings settings = read_scenario(folder.file("r.yaml"));
  CHECK(settings.find("json")->text == folder.file("out.json"));
  CHECK(settings.find("json")->written == "out.json");
  CHECK(settings.find("csv")->text == "-");
  CHECK(settings.find("vcd")->text == "/nowhere.d/w.vcd");
  std::ofstream(folder.file("t.yaml"))
      << "command: train\nmodel: [resnet18, m.yaml, sub/m]\nparameters: {compute.table: t.csv}\n";
  SweepFile file(folder.file("t.yaml"));
  REQUIRE(file.axes(0).points() == 3);
  const std::vector<ScenarioPoint> points{file.point(0, 0), file.point(0, 1), file.point(0, 2)};
  CHECK(points[0].settings.find("model")->text == "resnet18");
  CHECK(points[1].settings.find("model")->text == folder.file("m.yaml"));
  CHECK(points[2].settings.find("model")->text == folder.file("sub/m"));
  CHECK(points[0].settings.find("set")->text == "compute.table=" + folder.file("t.csv"));
  std::ofstream(folder.file("u.yaml")) << "platform: file:net.anynet\nalgorithm: msccl:a.xml\nplugin: [p.so:router]\n";
  const Settings named = read_scenario(folder.file("u.yaml"));
  CHECK(named.find("platform")->text == "file:" + folder.file("net.anynet"));
  CHECK(named.find("algorithm")->text == "msccl:" + folder.file("a.xml"));
  CHECK(named.find("plugin")->text == folder.file("p.so:router"));
}

TEST_CASE("a document whose command is train holds trainings, with axes of their own options", "[pure][sweep]") {
  const Sweep s = sweep(
      "size: 1KiB\n---\nmodel: [resnet18, alexnet]\nbatch: 4\ncommand: train\n"
      "parameters: { ring.sms: [0, 16], nvswitch.link.latency: 30ns }\n");
  REQUIRE(s.size() == 5);
  CHECK(!s.run(0).training);
  REQUIRE(s.run(4).training);
  CHECK(s.run(4).training->params.training.model.text == "alexnet");
  CHECK(s.run(4).training->params.training.batch == 4);
  CHECK(s.run(4).training->params.ring.multiprocessors == 16);
  CHECK(s.run(4).request.spec.parameters.of<NvSwitchPlatformParams>().link.latency == 30_ns);
  CHECK(Sweep::value(s.point(4), "command") == "train");
  CHECK(Sweep::value(s.point(3), "ring.sms") == "0");

  CHECK_THAT(refusal("command: tarin\nmodel: alexnet\n"), Contains("FILE:1: command: 'tarin'") && Contains("run or train"));
  CHECK_THAT(refusal("command: [train, run]\n"), Equals("FILE:1: command: one value is expected"));
  CHECK_THAT(refusal("command: train\nsize: 1KiB\n"), Contains("FILE:2: unknown key 'size'"));
  CHECK_THAT(refusal("command: train\nmodel: [alexnet, alexnot]\n"), Contains("FILE:2: model: unknown model 'alexnot'"));
  CHECK_THAT(refusal("command: train\nwrite-graph: x\n"), Contains("FILE:2: write-graph: a sweep names the files"));
  CHECK_THAT(refusal("command: train\njobs: [{ gpus: 4 }]\n"), Contains("FILE:2: unknown key 'jobs'"));
  CHECK_THAT(refusal("command: train\nparameters: { ring.sms: 80 }\n"), Contains("FILE:2: parameters: ring.sms"));
}

TEST_CASE("a training is known by the content of its files, too", "[pure][sweep]") {
  TemporaryFolder folder;
  const std::string model = folder.file("m.yaml"), file = folder.file("s.yaml");
  const auto point = [&](const std::string& tensors) {
    std::ofstream(model) << "name: mine\nlayers:\n  - {name: a, matrix: [8, 8], tensors: [" + tensors + "]}\n";
    std::ofstream(file) << "command: train\nmodel: " << model << "\n";
    return Sweep(file).point(0).id;
  };
  CHECK(point("64") == point("64"));
  CHECK(point("64") != point("64, 8"));
}

TEST_CASE("all points are checked before any runs, and errors name file and line", "[pure][sweep]") {
  CHECK_THAT(refusal("size: 1KiB\nalgorthm: [push, pull]\n"), Contains("FILE:2: unknown key 'algorthm'"));
  CHECK_THAT(refusal("size: 1KiB\nalgorithm: [push, psuh]\n"),
             Contains("FILE:2: algorithm: unknown allreduce algorithm") && Contains("push?"));
  CHECK_THAT(refusal("size: 1KiB\nparameters:\n  nvswitch.link.latency:\n  - 20ns\n  - 20\n"),
             Contains("FILE:5: parameters: nvswitch.link.latency") && Contains("no unit"));
  CHECK_THAT(refusal("size: 1KiB\nparameters: { link.latancy: [20ns, 30ns] }\n"),
             Contains("FILE:2") && Contains("nvswitch.link.latency?"));
  CHECK_THAT(refusal("size: 1KiB\nparameters: { nvswitch.switch.reduction_table.bytes: [256B, 0B] }\n"),
             Contains("FILE:2") && Contains("'0B' is out of range"));
  CHECK_THAT(refusal("size: 1KiB\ngpus: []\n"), Equals("FILE:2: gpus: the axis has no values (legal: at least one)"));
  CHECK_THAT(refusal("size: 1KiB\ngpus: [4, 4]\n"), Contains("FILE:2: gpus: the axis holds '4' twice"));
  CHECK_THAT(refusal("size: 1KiB\nparameters: { nvswitch.link.latency: [1ns], nvswitch: { link: { latency: [2ns] } } }\n"),
             Contains("FILE:2: nvswitch.link.latency: given twice"));
  CHECK_THAT(refusal("size: 1KiB\njson: [a, b]\n"), Contains("FILE:2: json: a sweep names the files"));
  CHECK_THAT(
      refusal(
          "algorithm: pull\nsize: 1KiB\nparameters: { nvswitch.acks: [separate, none], nvswitch.pull.wave_done: ack }\n"),
      Contains("FILE: nvswitch.pull.wave_done=ack waits for acks") && Contains("(nvswitch.acks=none)"));
  CHECK_THAT(refusal(""), Contains("FILE: the file holds no scenario"));
  std::string many = "size: 1KiB\nseed: [0";
  for (int i = 1; i < 400; ++i) many += "," + std::to_string(i);
  many += "]\nparameters: { watchdog.window: [1us";
  for (int i = 2; i < 400; ++i) many += "," + std::to_string(i) + "us";
  CHECK_THAT(refusal(many + "] }\n"), Contains("more points than 100000"));
}

TEST_CASE("points are read in any order", "[pure][sweep]") {
  const Sweep s = sweep("size: [1KiB, 2KiB, 4KiB]\ngpus: [2, 4]\nparameters: { nvswitch.link.latency: [20ns, 30ns] }\n");
  REQUIRE(s.size() == 12);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < 12; ++i) ids.push_back(s.point(i).id);
  for (std::size_t i = 12; i-- > 0;) {
    const SweepPoint point = s.point(i);
    CHECK(point.id == ids[i]);
    CHECK(Sweep::value(point, "size") == std::vector<std::string>{"1KiB", "2KiB", "4KiB"}[i / 4]);
    CHECK(Sweep::value(point, "gpus") == (i / 2 % 2 == 0 ? "2" : "4"));
    CHECK(s.run(i).request.spec.parameters.of<NvSwitchPlatformParams>().link.latency == (i % 2 == 0 ? 20_ns : 30_ns));
  }
}

TEST_CASE("a list that cannot change the run does not make points of its own", "[pure][sweep]") {
  CHECK(sweep("size: 1KiB\nquiet: [true, false]\n").size() == 1);
  CHECK(sweep("size: 1KiB\nparameters: { nvswitch.link.latency: [20ns, 30ns] }\n").size() == 2);
}

TEST_CASE("a list of points checks each value of an axis, and a run every combination", "[pure][sweep]") {
  const auto listed = [](const std::string& text) {
    const File file(text);
    Sweep(file.path).check_values();
  };
  CHECK_THROWS_WITH(listed("size: [1KiB, 2KiB]\nalgorithm: [push, ring, psuh]\n"), Contains("psuh"));
  CHECK_THROWS_WITH(listed("size: [1KiB, 2KiB, 3]\nalgorithm: [push, ring]\n"), Contains("no unit"));
  std::string seeds = "size: 1KiB\nseed: [0";
  for (int i = 1; i < 10000; ++i) seeds += "," + std::to_string(i);
  const File file(seeds + "]\n");
  const Sweep s(file.path);
  CHECK(s.size() == 10000);
  CHECK(s.run(9999).request.spec.seed == 9999);
  s.check_values();
}

TEST_CASE("a scenario of run has no axes", "[pure][sweep]") {
  const std::string text = GENERATE("size: [1KiB, 2KiB]\n", "size: 1KiB\n---\nsize: 2KiB\n");
  const File file(text);
  CHECK_THROWS_WITH(parse_command_line({"run", file.path}),
                    Contains("size: one value is expected") || Contains("a second document"));
}

TEST_CASE("options of sweep", "[pure][sweep]") {
  const File file("size: [1KiB, 2KiB]\n");
  const auto parse = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"sweep", file.path});
    return std::get<SweepRequest>(parse_command_line(options));
  };
  const SweepRequest request = parse({"--out", "o", "--jobs", "3", "--index", "1"});
  CHECK(request.folder == "o");
  CHECK(request.jobs == 3);
  REQUIRE(request.index);
  CHECK((!request.holds(0) && request.holds(1)));
  const SweepRequest both = parse({"--out", "o", "--index", "0:1"});
  CHECK((both.holds(0) && both.holds(1) && !both.whole()));
  CHECK_THROWS_WITH(parse({"--out", "o", "--index", "1:0"}), Equals("--index: '0' is out of range (legal: 1 to 1)"));
  CHECK(parse({"--out", "o", "--emit", "sge"}).scheduler == "sge");
  CHECK(parse({"--out", "o"}).jobs == 1);
  CHECK(parse({"--list"}).action == SweepAction::list);
  CHECK(parse({"--join", "--out", "o"}).action == SweepAction::join);
  CHECK_THROWS_WITH(parse({}), Contains("--out DIR is missing"));
  CHECK_THROWS_WITH(parse({"--out", "o", "--index", "2"}), Equals("--index: '2' is out of range (legal: 0 to 1)"));
  CHECK_THROWS_WITH(parse({"--out", "o", "--index", "x"}), Contains("--index") && Contains("legal: 0 to 1"));
  CHECK_THROWS_WITH(parse({"--out", "o", "--jobs", "0"}), Contains("--jobs: '0' is out of range"));
  CHECK_THROWS_WITH(parse({"--out", "o", "--list", "--join"}), Contains("exclude each other"));
  CHECK_THROWS_WITH(parse({"--out", "o", "--join", "--index", "0"}), Contains("--index"));
  CHECK(parse({"--out", "o"}).whole());
  CHECK(parse({"--out", "o", "--shard", "1/4"}).shard->of == 4);
  CHECK_FALSE(parse({"--out", "o", "--shard", "0/1"}).whole());  // results.csv is left to --join, however many shards
  CHECK_THROWS_WITH(parse({"--out", "o", "--index", "0", "--shard", "0/2"}),
                    Equals("--index and --shard exclude each other"));
  CHECK_THROWS_WITH(parse({"--out", "o", "--join", "--shard", "0/2"}), Contains("--shard") && Contains("--join"));
  CHECK_THROWS_WITH(parse({"--out", "o", "--shard", "2/2"}),
                    Contains("--shard: '2/2' is not a shard (legal: I/N, I from 0"));
  CHECK_THROWS_WITH(parse({"--out", "o", "--job", "2"}), Contains("did you mean --jobs"));
  CHECK_THROWS_WITH(parse_command_line({"sweep", "--out", "o"}), Contains("a scenario file is missing"));
  CHECK_THROWS_WITH(parse_command_line({"sweep", "/nonexistent.yaml", "--out", "o"}), Contains("cannot be read"));
}

TEST_CASE("the joined table has the axes, then the results, a line for each row", "[pure][sweep]") {
  SweepTable table({"algorithm", "nvswitch.gpu.dma.waves"});
  table.put_failure(1, "bb", {"pull", "4"}, "failed", "out of memory, alas");
  const auto row = [](int size) {
    return ordered_json{{"size_bytes", size},
                        {"status", "done"},
                        {"peak_link", {{"name", "a>b"}, {"utilisation", 0.5}}},
                        {"counters", {{"switch.merges", size / 2}}},
                        {"links", ordered_json::array({1})},
                        {"report", "r"}};
  };
  table.put(0, "aa", {"push", ""},
            {{"tributary", "1"}, {"platform", "dgx2"}, {"algorithm", "push"}, {"results", {row(8), row(16)}}});
  CHECK(table.text() ==
        "point,algorithm,nvswitch.gpu.dma.waves,platform,size_bytes,status,peak_link,peak_link_utilisation,switch.merges,"
        "error\n"
        "aa,push,,dgx2,8,done,a>b,0.5,4,\n"
        "aa,push,,dgx2,16,done,a>b,0.5,8,\n"
        "bb,pull,4,,,failed,,,,\"out of memory, alas\"\n");
  ordered_json bounded = row(32);
  bounded["bottleneck"] = {
      {"module", "gpu7.dma"}, {"cause", "waves"}, {"share", 0.5}, {"claim", "together"}, {"parameters", {"w", "v"}}};
  table.put(2, "cc", {"pull", "1"}, {{"results", {bounded}}});
  CHECK_THAT(table.text(),
             Contains(",bottleneck,bottleneck_module,bottleneck_share,bottleneck_claim,bottleneck_parameters") &&
                 Contains(",waves,gpu7.dma,0.5,together,w+v"));
  table.put(1, "bb", {"pull", "4"}, {{"results", {row(8)}}});  // the second attempt
  CHECK_THAT(table.text(), Contains("bb,pull,4,,8,done") && !Contains("failed"));
}

TEST_CASE("the progress of a sweep judges the time left by the points that this call has run", "[pure][sweep]") {
  CHECK(sweep_progress_text({40, 10, 5, 1, 2}, 8.0) == "sweep 16/40 points, 2 running, 1 failed, 32 s left");
  CHECK(sweep_progress_text({40, 10, 5, 1, 2, 3, 4}, 8.0) ==
        "sweep 16/40 points, 2 running, 3 wrong, 4 stuck, 1 failed, 32 s left");
  CHECK(sweep_progress_text({40, 10, 0, 0, 2}, 8.0) == "sweep 10/40 points, 2 running");
}

}  // namespace tributary::test_sweep_points
