// Computation and collectives of profiler's traces, and the small traces in testbench/workload/data/traces.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "testbench/test/harness/graph_equality.h"
#include "testbench/test/harness/mutated_texts.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/task_times.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/read/graph_yaml.h"
#include "testbench/workload/training/read/read_graph.h"
#include "testbench/workload/training/read/recorded_compute.h"

namespace tributary::test_kineto_events {

using namespace tributary::training;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

using Ids = std::vector<TaskId>;

const std::string traces = TRIBUTARY_SOURCE_DIR "/testbench/workload/data/traces/";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string refusal(const std::string& path, const ReadOptions& options = {}) {
  try {
    read_graph(path, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

}  // namespace

TEST_CASE("computation waits for transfers that have ended, and transfers for computation that has", "[pure][training]") {
  CHECK(united({{25, 40}, {10, 30}, {70, 80}, {45, 70}, {5, 5}}).size() == 3);
  const ComputeOrder order = compute_order({{40, 60}, {75, 90}}, united({{25, 40}, {10, 30}, {45, 70}, {70, 80}, {90, 95}}));
  REQUIRE(order.stretches.size() == 4);
  CHECK(order.stretches[0].time == 30);  // two kernels at once
  CHECK(order.stretches[1].time == 25);  // runs beside the first transfer
  CHECK(order.stretches[1].calls.empty());
  CHECK(order.stretches[2].time == 10);
  CHECK(order.stretches[2].calls == std::vector<std::size_t>{0});
  CHECK(order.stretches[3].calls == std::vector<std::size_t>{1});
  CHECK(order.before == std::vector<std::optional<std::size_t>>{0, 1});
  // Kernels that nothing comes between are one stretch; a transfer may precede all computation, or be alone.
  const ComputeOrder early = compute_order({{0, 9}, {50, 60}}, {{2, 4}, {6, 8}, {12, 20}, {22, 30}});
  REQUIRE(early.stretches.size() == 2);
  CHECK(early.stretches[0].time == 4);
  CHECK(early.stretches[1].time == 16);
  CHECK(early.stretches[1].calls == std::vector<std::size_t>{0});
  CHECK(early.before == std::vector<std::optional<std::size_t>>{std::nullopt, 1});
  CHECK(compute_order({{0, 9}}, {}).stretches.empty());
}

TEST_CASE("a compressed trace of the profiler gives computation and transfers of a step", "[pure][training]") {
  ReadOptions options;
  options.step = 4;
  const TaskGraph graph = read_graph(traces + "kineto_new.json.gz", options);
  CHECK_NOTHROW(check(graph));
  CHECK(graph.ranks == 4);
  REQUIRE(graph.warnings.size() == 1);
  CHECK_THAT(graph.warnings[0], Contains("kineto_new.json.gz: the rank of the trace represents all 4 ranks"));
  REQUIRE(graph.tasks.size() == 3 + 1 + 2);
  const auto is = [&](std::size_t t, const std::string& name, Tick time, const Ids& after) {
    CHECK(graph.tasks[t].name == name);
    CHECK(graph.tasks[t].work.time == time);
    CHECK(graph.tasks[t].after == after);
  };
  is(0, "compute 0", 30'000'000, {});
  is(1, "allreduce 0", 0, {0});
  is(2, "compute 1", 25'000'000, {0});
  is(3, "_allgather_base 1", 0, {2});  // of ranks 0 and 1
  is(4, "_allgather_base 1", 0, {2});
  is(5, "compute 2", 5'000'000, {1, 2});  // `adam` begins while the all-gather moves data
  CHECK(graph.tasks[1].transfer.bytes == 262144 * 2);
  CHECK(graph.tasks[1].group == 0);
  CHECK(graph.tasks[3].transfer.bytes == 8192 * 2);
  CHECK(graph.groups[graph.tasks[4].group].ranks == std::vector<int>{2, 3});
  CHECK(read_graph(traces + "kineto_new.json.gz").tasks.size() == 12);
  options.step = 5;
  CHECK_THAT(refusal(traces + "kineto_new.json.gz", options), Contains("kineto_new.json.gz: no step 5 (legal: 3 to 4)"));
  CHECK_THAT(refusal(traces + "kineto_old.json", options), Contains("kineto_old.json: no steps (ProfilerStep#N)"));
}

TEST_CASE("kernels of older profilers have the arguments of their operators", "[pure][training]") {
  const TaskGraph graph = read_graph(traces + "kineto_old.json");
  REQUIRE(graph.tasks.size() == 3);
  CHECK(graph.tasks[0].work.time == 8'000'000);
  CHECK(graph.tasks[1].transfer.collective == "allreduce");
  CHECK(graph.tasks[1].transfer.bytes == 4000);
  CHECK(graph.tasks[1].after == Ids{0});
  CHECK(graph.tasks[2].transfer.collective == "reduce_scatter");
  CHECK(graph.tasks[2].transfer.bytes == 2048);
  TemporaryFolder folder;
  const std::string path = folder.file("t.json"), text = text_of(traces + "kineto_old.json");
  write(path, replaced(text, "\"External id\": 18", "\"Other\": 18"));
  CHECK_THAT(refusal(path),
             Contains("t.json: event at 22 us: kernel 'ncclKernel_ReduceScatter_RING_LL_Sum_float(ncclDevComm*)' "
                      "has no 'Collective name'"));
  write(path, replaced(text, "[0, 1]", "[0, 1, ...]"));
  CHECK_THAT(refusal(path),
             Contains("t.json: event at 12 us: process group '0' of 2 ranks, whose list is cut off (legal: "));
}

TEST_CASE("a list of ranks that the profiler has cut off is that of distributedInfo", "[pure][training]") {
  const std::string path = traces + "kineto_truncated_ranks.json";
  const TaskGraph graph = read_graph(path);
  CHECK(graph.ranks == 8);
  REQUIRE(graph.tasks.size() == 2 + 2 + 1);
  CHECK(graph.tasks[0].work.time == 40'000'000);
  CHECK(graph.tasks[1].transfer.bytes == 131'072);
  CHECK(graph.groups[graph.tasks[1].group].ranks == std::vector<int>{0, 2, 4, 6});
  CHECK(graph.groups[graph.tasks[2].group].ranks == std::vector<int>{1, 3, 5, 7});
  CHECK(graph.tasks[3].work.time == 30'000'000);
  CHECK(graph.tasks[3].after == Ids{0});  // runs beside the all-reduce
  CHECK(graph.tasks[4].transfer.bytes == 2'097'152);
  CHECK(graph.tasks[4].group == 0);
  // Without the list the trace is refused, unless it has the first rank and the stride.
  TemporaryFolder folder;
  const std::string cut = folder.file("t.json"), text = replaced(text_of(path), "pg_config", "config");
  write(cut, text);
  CHECK_THAT(refusal(cut),
             Contains("t.json: event at 140 us: process group '3' of 4 ranks, whose list is cut off (legal: "));
  write(cut,
        replaced(text, "\"Group size\": 4,", "\"Group size\": 4, \"Global rank start\": 0, \"Global rank stride\": 2,"));
  CHECK(read_graph(cut).groups.size() == 3);
}

TEST_CASE("damaged files of gzip are refused", "[pure][training]") {
  TemporaryFolder folder;
  const std::string path = folder.file("t.json.gz"), text = text_of(traces + "kineto_new.json.gz");
  write(path, text.substr(0, text.size() / 2));
  CHECK_THAT(refusal(path), Equals(path + ": the file ends within its compressed data (legal: a complete file of gzip)"));
  std::string odd = text;
  odd[text.size() / 2] = static_cast<char>(odd[text.size() / 2] ^ 0x55);
  write(path, odd);
  CHECK_THAT(refusal(path), Contains(path + ": "));
  write(path, text + text);  // two members are one text
  CHECK_THAT(refusal(path), Contains(": not JSON"));
}

TEST_CASE("small traces give the graphs next to them", "[pure][training]") {
  for (const std::string name :
       {"stg_tp2dp2", "kineto_new.json.gz", "kineto_old.json", "kineto_truncated_ranks.json", "et_ddp_2ranks.json", "et_moe",
        "et_inputs.json", "feeder.json", "nccl_coll.log", "nccl_coll_garbled.log", "simai_moe.txt", "simai_pp.txt"}) {
    ReadOptions options;
    options.ranks = name.rfind("simai", 0) == 0 ? 8 : name == "feeder.json" ? 4 : 0;
    TaskGraph graph = read_graph(traces + name, options);
    CHECK_NOTHROW(check(graph));
    give_times(graph, {});
    const std::string expected = traces + name.substr(0, name.find('.')) + ".yaml";
    INFO(expected);
    CHECK(equal(read_graph_yaml(text_of(expected), expected), graph));
  }
}

TEST_CASE("the small traces have the messages that their files say", "[pure][training]") {
  using Rows = std::vector<std::pair<std::string, std::uint64_t>>;
  const auto rows = [](const TaskGraph& graph) {
    Rows all;
    for (const training::Task& task : graph.tasks)
      if (task.transfer.bytes > 0 && (task.rank <= 0))
        all.emplace_back(task.kind == TaskKind::send ? "send" : task.transfer.collective, task.transfer.bytes);
    return all;
  };
  const TaskGraph ddp = read_graph(traces + "et_ddp_2ranks.json");
  CHECK(ddp.ranks == 2);  // a group of no listed ranks has all
  CHECK(rows(ddp) == Rows{{"allreduce", 4000}, {"allreduce", 2'000'000}, {"allreduce", 12}});
  const TaskGraph log = read_graph(traces + "nccl_coll.log");
  CHECK(log.warnings.empty());
  CHECK(rows(log) == Rows{{"allreduce", 134'217'728}, {"allgather", 2097152 * 2 * 2}, {"send", 8192}});
  ReadOptions options;
  options.ranks = 8;
  const TaskGraph moe = read_graph(traces + "simai_moe.txt", options);
  CHECK(moe.warnings.empty());
  // Forward: four groups of two ranks, and 2 x 2 groups that share experts; the same backward; then gradients.
  CHECK(rows(moe).size() == 4 + 4 + 4 + 4 + 4 + 2);
  CHECK(moe.tasks.front().work.time == 40'000'000);
}

TEST_CASE("mutated traces of the profiler are read or rejected quickly", "[pure][training]") {
  const std::string old = text_of(traces + "kineto_old.json"), ddp = text_of(traces + "et_ddp_2ranks.json"),
                    cut = text_of(traces + "kineto_truncated_ranks.json"),
                    split = replaced(text_of(traces + "et_tp_split.json"), "\"7\"", "\"tp\"");
  const auto read = [&](const std::string& text) { read_graph_text(text, "FILE"); };
  CHECK(fuzzed<InputError>({{old, ddp, cut, split},
                            {"\"inputs\":", "\"values\":", "[", "]", "\"distributedInfo\":", "1.0.2",
                             "\"ts\":", "\"dur\":", "1e300", "-1", "kernel", "External id", "}", "\""}},
                           43, mutations(20'000), "FILE:", read, 4000) == "");
}

}  // namespace tributary::test_kineto_events
