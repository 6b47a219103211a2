#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "platforms/nvswitch/platform_params.h"
#include "testbench/cli/command_line.h"
#include "testbench/cli/requests/option_table.h"
#include "testbench/cli/requests/rank_list.h"
#include "testbench/cli/requests/work_items.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_cli {

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

RunRequest run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  return std::get<RunRequest>(parse_command_line(arguments));
}

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    run(arguments);
  } catch (const InputError& error) {
    const std::string line = error.what();
    CHECK(line.find('\n') == std::string::npos);
    return line;
  }
  return "accepted";
}

std::vector<std::uint64_t> sizes(const RunSpec& spec) {
  std::vector<std::uint64_t> all;
  for (const WorkItem& item : spec.jobs[0].items) all.push_back(item.size.value);
  return all;
}

}  // namespace

TEST_CASE("run has defaults for all but the size", "[pure][cli]") {
  const RunRequest request = run({"--size", "8MiB"});
  const RunSpec& spec = request.spec;
  CHECK(spec.platform.name() == "dgx2");
  CHECK(spec.jobs[0].collective == "allreduce");
  CHECK(spec.jobs[0].algorithm == "push");
  CHECK(spec.jobs[0].ranks == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(spec.jobs[0].type == ElementType::f32);
  CHECK(sizes(spec) == std::vector<std::uint64_t>{8'388'608});
  CHECK(spec.mode == SimulationMode::windowed);
  CHECK(spec.data == DataMode::exact);
  CHECK(spec.seed == 1);
  CHECK_FALSE(spec.time_limit);
  CHECK(spec.trace.file.empty());
  CHECK_FALSE(request.output.takes_stdout());
}

TEST_CASE("each option of run lands in the specification", "[pure][cli]") {
  const RunRequest request = run({"--platform",
                                  "dgx2",
                                  "--collective",
                                  "broadcast",
                                  "--ranks",
                                  "0-2,8",
                                  "--root",
                                  "3",
                                  "--sizes",
                                  "1KiB:16KiB:x4",
                                  "--dtype",
                                  "f16",
                                  "--set",
                                  "nvswitch.link.rate=50GB/s",
                                  "--set",
                                  "nvswitch.ring.sync=fence",
                                  "--mode",
                                  "event",
                                  "--no-data",
                                  "--seed",
                                  "7",
                                  "--json",
                                  "-",
                                  "--quiet",
                                  "--log-level",
                                  "debug",
                                  "--time-limit",
                                  "2us"});
  const RunSpec& spec = request.spec;
  CHECK(spec.jobs[0].collective == "broadcast");
  CHECK(spec.jobs[0].algorithm == "multicast");
  CHECK(spec.jobs[0].ranks == std::vector<int>{0, 1, 2, 8});
  CHECK(spec.jobs[0].root == 3);
  CHECK(sizes(spec) == std::vector<std::uint64_t>{1024, 4096, 16384});
  CHECK(spec.jobs[0].type == ElementType::f16);
  CHECK(spec.parameters.of<NvSwitchPlatformParams>().link.rate == 50_GBps);
  CHECK(spec.parameters.of<NvSwitchPlatformParams>().ring.sync == RingSync::fence);
  CHECK(spec.mode == SimulationMode::event);
  CHECK(spec.data == DataMode::none);
  CHECK(spec.seed == 7);
  CHECK(spec.time_limit->value == 2'000'000);
  CHECK(request.output.json == "-");
  CHECK(request.output.takes_stdout());
  CHECK(request.output.quiet);
  CHECK(request.output.log_level == "debug");
}

TEST_CASE("ranks of a job: platform, --gpus and placement", "[pure][cli]") {
  const auto ranks = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--size", "4B"});
    return run(arguments).spec.jobs[0].ranks;
  };
  CHECK(ranks({"--platform", "fat_tree:128"}) == first_gpus(128));
  CHECK(ranks({"--platform", "fat_tree"}) == first_gpus(128));
  CHECK(ranks({"--platform", "fat_tree:64"}) == first_gpus(64));
  CHECK(ranks({"--platform", "fat_tree:128", "--gpus", "64"}) == first_gpus(64));
  CHECK(ranks({"--platform", "fat_tree:64", "--gpus", "8"}) == first_gpus(8));
  const std::vector<int> spread = ranks({"--platform", "fat_tree:64", "--set", "nvswitch.placement=spread"});
  CHECK(spread == ranks({"--platform", "fat_tree:128", "--set", "nvswitch.placement=spread", "--gpus", "64"}));
  CHECK(spread.size() == 64);
  CHECK((spread[3] == 3 && spread[4] == 8 && spread[63] == 123));
  CHECK(run({"--platform", "fat_tree", "--size", "4B"}).spec.platform.name() == "fat_tree:128");
}

TEST_CASE("bad options are refused in one line with what is legal", "[pure][cli]") {
  CHECK_THAT(refusal({}), Contains("a message size is missing") && Contains("--sizes"));
  CHECK_THAT(refusal({"--size"}), Contains("--size: a value is missing"));
  CHECK_THAT(refusal({"--size", "8Kb"}), Contains("--size: '8Kb': 'Kb' is not a unit of size") && Contains("KiB"));
  CHECK_THAT(refusal({"--size", "8"}), Contains("--size: '8' has no unit"));
  CHECK_THAT(refusal({"--size", "3B"}), Contains("multiples of 4B"));
  CHECK_THAT(refusal({"--size", "6B"}), Contains("multiples of 4B"));
  CHECK_THAT(refusal({"--size", "7B", "--dtype", "f16"}), Contains("multiples of 2B"));
  CHECK(sizes(run({"--size", "6B", "--dtype", "f16"}).spec) == std::vector<std::uint64_t>{6});
  CHECK_THAT(refusal({"--size", "4B", "--sizes", "4B:8B:x2"}), Contains("exclude each other"));
  CHECK_THAT(refusal({"--size", "4B", "--size", "8B"}), Contains("--size: given twice"));
  CHECK_THAT(refusal({"--size", "4B", "--gpus", "17"}), Equals("--gpus: the platform has 16 GPUs (legal: 2 to 16)"));
  CHECK_THAT(refusal({"--size", "4B", "--gpus", "1"}), Contains("legal: 2 to 16"));
  CHECK_THAT(refusal({"--size", "4B", "--gpus", "4", "--ranks", "0-3"}), Contains("exclude each other"));
  CHECK_THAT(
      refusal({"--size", "4B", "--algorithm", "psuh"}),
      Contains("did you mean push?") &&
          Contains("push, pull, nvls, ring, double_binary_tree, halving_doubling, star, multitree, hdrm, blink or nccl"));
  CHECK_THAT(refusal({"--size", "4B", "--platform", "dgx3"}), Contains("did you mean dgx2?"));
  CHECK_THAT(refusal({"--size", "4B", "--platform", "dgx2:8"}), Contains("accepts no arguments"));
  CHECK_THAT(refusal({"--size", "4B", "--platform", "fat_tree:96"}),
             Equals("--platform: platform fat_tree requires a number of GPUs, but '96' is given (legal: fat_tree:128 or "
                    "fat_tree:64)"));
  CHECK_THAT(refusal({"--size", "4B", "--platform", "fat_tree:"}), Contains("legal: fat_tree:128 or fat_tree:64"));
  CHECK_THAT(refusal({"--size", "4B", "--platform", "fattree:128"}), Contains("did you mean fat_tree?"));
  CHECK_THAT(refusal({"--size", "4B", "--platform", "fat_tree:64", "--gpus", "129"}), Contains("legal: 2 to 128"));
  CHECK_THAT(refusal({"--size", "4B", "--set", "nvswitch.placement=spread", "--ranks", "0-3"}),
             Contains("--ranks") && Contains("nvswitch.placement=spread") && Contains("one of the two"));
  CHECK_THAT(refusal({"--size", "4B", "--set", "nvswitch.placement=even"}), Contains("contiguous or spread"));
  CHECK_THAT(refusal({"--size", "4B", "--set", "nvswitch.fabric.hash=xor"}),
             Contains("interleave, strided, xor_folded or random"));
  CHECK_THAT(refusal({"--size", "4B", "--set", "nvswitch.switch.reduction_table.trunk_bytes=64B"}),
             Contains("multiple of 128B"));
  CHECK_THAT(refusal({"--size", "4B", "--collective", "allredcue"}), Contains("did you mean allreduce?"));
  CHECK_THAT(refusal({"--size", "4B", "--dtype", "f128"}),
             Contains("--dtype: 'f128' is not legal (legal: f64, f32, f16, bf16, i8, i16, i32 or i64)"));
  CHECK_THAT(refusal({"--size", "4B", "--op", "mean"}), Contains("--op: 'mean' is not legal (legal: sum, min or max)"));
  CHECK_THAT(refusal({"--size", "4B", "--set", "nvswitch.link.rate=0GB/s"}),
             Contains("--set: nvswitch.link.rate: '0GB/s' is out of range"));
  CHECK_THAT(refusal({"--size", "4B", "--set", "link.rtae=1GB/s"}), Contains("did you mean nvswitch.link.rate?"));
  CHECK_THAT(refusal({"--size", "4B", "--set", "nvswitch.switch.reduction_table.bytes=64B"}), Contains("128B to 16MiB"));
  CHECK_THAT(refusal({"--size", "4B", "--sise", "4B"}), Contains("unknown option '--sise'; did you mean --size?"));
  CHECK_THAT(refusal({"--size", "4B", "--root", "0"}),
             Contains("allreduce has no root (legal with broadcast, multicast, reduce or gather)"));
  CHECK_THAT(refusal({"--size", "4B", "--collective", "broadcast", "--root", "16"}), Contains("legal: 0 to 15"));
  CHECK_THAT(refusal({"--size", "4B", "--seed", "-1"}), Contains("--seed: '-1' is not a whole number"));
  CHECK_THAT(refusal({"--size", "4B", "--trace", "*"}), Contains("--vcd"));
  CHECK_THAT(refusal({"--size", "4B", "--one-shot"}), Contains("--messages"));
  CHECK_THAT(refusal({"--size", "4B", "--time-limit", "0ns"}), Contains("at least 1ps"));
  CHECK_THAT(refusal({"--size", "4B", "--data", "real"}), Contains("legal: exact or random"));
  CHECK_THAT(refusal({"--size", "4B", "--log-level", "loud"}), Contains("legal: trace, debug"));
  CHECK_THAT(refusal({"--size", "4B", "a.yaml", "b.yaml"}), Contains("unexpected argument 'b.yaml'"));
}

TEST_CASE("collectives take what belongs to them", "[pure][cli]") {
  const auto multicast = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"--collective", "multicast", "--size", "4KiB"});
    return more;
  };
  const JobSpec job = run(multicast({"--gpus", "8", "--root", "2", "--targets", "0,4-6"})).spec.jobs[0];
  CHECK(job.targets == std::vector<int>{0, 4, 5, 6});
  CHECK(job.root == 2);
  CHECK(job.algorithm == "multicast");
  CHECK(run({"--collective", "gather", "--size", "4B", "--root", "3"}).spec.jobs[0].root == 3);
  CHECK_THAT(refusal(multicast({})), Contains("requires --targets") && Contains("legal: 0 to 15"));
  CHECK_THAT(refusal(multicast({"--targets", "0"})), Contains("--targets: the only target is the root"));
  CHECK_THAT(refusal(multicast({"--targets", "1,2-3,2"})), Contains("--targets: rank 2 is listed twice"));
  CHECK_THAT(refusal(multicast({"--gpus", "4", "--targets", "4"})), Contains("the job has no rank 4 (legal: 0 to 3)"));
  CHECK_THAT(refusal(multicast({"--targets", "3-1"})), Contains("is reversed"));
  CHECK_THAT(refusal(multicast({"--targets", "x"})), Contains("is not a list of ranks"));
  CHECK_THAT(refusal({"--size", "4B", "--targets", "1"}), Contains("allreduce has no targets (legal with multicast)"));
  CHECK_THAT(refusal({"--size", "4B", "--collective", "allgather", "--algorithm", "push"}),
             Contains("unknown allgather algorithm 'push'") && Contains("multicast, nvls, ring, multitree, blink or nccl"));
  CHECK_THAT(refusal({"--size", "4B", "--collective", "alltoall", "--algorithm", "ring"}), Contains("direct"));

  CHECK(sizes(run({"--collective", "barrier"}).spec) == std::vector<std::uint64_t>{4});
  CHECK(sizes(run({"--collective", "barrier", "--size", "128B"}).spec) == std::vector<std::uint64_t>{128});
  CHECK_THAT(refusal({"--collective", "barrier", "--size", "132B"}),
             Contains("a barrier sends one packet") && Contains("128B"));
  CHECK_THAT(refusal({"--collective", "barrier", "--messages", "x.csv"}), Contains("a barrier has no data"));
}

TEST_CASE("outputs are checked before the run, and nothing is created", "[pure][cli]") {
  CHECK_THAT(refusal({"--size", "4B", "--json", "/nonexistent/r.json"}),
             Equals("--json: cannot write '/nonexistent/r.json': No such file or directory"));
  CHECK_THAT(refusal({"--size", "4B", "--csv", "/"}), Contains("--csv: cannot write '/': Is a directory"));
  CHECK_THAT(refusal({"--size", "4B", "--json", "-", "--csv", "-"}), Contains("is also the file of --json"));
  CHECK_THAT(refusal({"--size", "4B", "--vcd", "-"}), Contains("cannot go to standard output"));
  const auto file = std::filesystem::temp_directory_path() / "tributary_test_output_check.json";
  std::filesystem::remove(file);
  CHECK(run({"--size", "4B", "--json", file.string()}).output.json == file.string());
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a waveform without globs shows all probes", "[pure][cli]") {
  CHECK(run({"--size", "4B", "--vcd", "/dev/null"}).spec.trace.globs == std::vector<std::string>{"*"});
  CHECK(run({"--size", "4B", "--vcd", "/dev/null", "--trace", "a*", "--trace", "b"}).spec.trace.globs ==
        std::vector<std::string>{"a*", "b"});
}

TEST_CASE("lists of ranks keep their order", "[pure][cli]") {
  CHECK(parse_rank_list("0-3,8", 16, "GPU") == std::vector<int>{0, 1, 2, 3, 8});
  CHECK(parse_rank_list("8,0-1", 16, "GPU") == std::vector<int>{8, 0, 1});
  CHECK_THROWS_WITH(parse_rank_list("0-3,2", 16, "GPU"), Contains("GPU 2 is listed twice"));
  CHECK_THROWS_WITH(parse_rank_list("0-16", 16, "GPU"), Contains("no GPU 16") && Contains("0 to 15"));
  CHECK_THROWS_WITH(parse_rank_list("3-0", 16, "GPU"), Contains("is reversed"));
  CHECK_THROWS_WITH(parse_rank_list("5", 16, "GPU"), Contains("at least 2"));
  for (const char* text : {"", "a", "0,,1", "0-", "-3", "0;1", "0-1-2", "99999999999999999999,1"})
    CHECK_THROWS_AS(parse_rank_list(text, 16, "GPU"), InputError);
}

TEST_CASE("sweeps are geometric and end at or below their end", "[pure][cli]") {
  const auto values = [](const char* text) {
    std::vector<std::uint64_t> all;
    for (const Bytes b : parse_sweep(text)) all.push_back(b.value);
    return all;
  };
  CHECK(values("1KiB:16KiB:x4") == std::vector<std::uint64_t>{1024, 4096, 16384});
  CHECK(values("1KiB:15KiB:x4") == std::vector<std::uint64_t>{1024, 4096});
  CHECK(values("8B:8B:x2") == std::vector<std::uint64_t>{8});
  CHECK(values("9223372036854775808B:18446744073709551615B:x2").size() == 1);  // the next would overflow
  for (const char* text : {"1KiB", "1KiB:2KiB", "1KiB:2KiB:2", "1KiB:2KiB:x", "1KiB:2KiB:x1", "2KiB:1KiB:x2", "0B:1KiB:x2",
                           "1:2KiB:x2", "1KiB:2KiB:x2:3", "1KiB:2KiB:x2.5"})
    CHECK_THROWS_AS(parse_sweep(text), InputError);
}

TEST_CASE("help names every option with its default, and every unit", "[pure][cli]") {
  std::istringstream words(std::get<PrintText>(parse_command_line({"run", "--help"})).text);
  std::string text;  // wherever its lines are broken
  for (std::string word; words >> word;) text += word + " ";
  for (const OptionRow& row : run_options()) {
    CHECK_THAT(text, Contains("--" + row.name + (row.argument.empty() ? "" : " " + row.argument)));
    CHECK_THAT(text, Contains("default: " + row.standard));
    CHECK((row.kind == OptionKind::flag || !row.unit.empty()));
  }
  CHECK_THAT(std::get<PrintText>(parse_command_line({"--help"})).text, Contains("run") && Contains("list"));
  CHECK_THAT(std::get<PrintText>(parse_command_line({"--version"})).text,
             Contains("tributary " TRIBUTARY_VERSION " (commit "));
}

TEST_CASE("schedule: topology, algorithm and readings", "[pure]") {
  const auto parse = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"schedule", "--topology", "mesh:4x4"});
    return std::get<ScheduleRequest>(parse_command_line(more));
  };
  const ScheduleRequest plain = parse({});
  CHECK(plain.network.name == "mesh:4x4");
  CHECK(plain.request.algorithm == "multitree");
  CHECK(plain.request.collective == "allreduce");
  CHECK(plain.request.members.empty());
  CHECK(plain.request.multitree.order == collective::TreeOrder::root);
  CHECK(plain.request.multitree.search == collective::SwitchSearch::no_transit);
  const ScheduleRequest other =
      parse({"--algorithm", "ring", "--collective", "allgather", "--ranks", "4-6,0", "--x-links", "2", "--json", "-"});
  CHECK(other.request.algorithm == "ring");
  CHECK(other.request.collective == "allgather");
  CHECK(other.request.members == std::vector<int>{4, 5, 6, 0});
  CHECK(other.network.graph.node(0).ports == 6);
  CHECK(other.json == "-");
  const auto trees = std::get<ScheduleRequest>(
      parse_command_line({"schedule", "--topology", "bigraph:2x4", "--order", "remaining", "--search", "nearest"}));
  CHECK(trees.request.multitree.order == collective::TreeOrder::remaining);
  CHECK(trees.request.multitree.search == collective::SwitchSearch::nearest);
  CHECK_THROWS_WITH(parse({"--json", ""}), Contains("a file name is missing"));
}

}  // namespace tributary::test_cli
