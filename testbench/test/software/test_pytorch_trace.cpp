// Task graphs of PyTorch's traces.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "testbench/test/harness/graph_equality.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/read/read_graph.h"

namespace tributary::test_pytorch_trace {
using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

std::string attribute(const std::string& name, const std::string& value) {
  return R"({"name": ")" + name + R"(", "type": "t", "value": )" + value + "}";
}

/// A node of an execution trace that calls a collective.
std::string node(const std::string& collective, int in, int out, const std::string& type, const std::string& group,
                 int size) {
  return R"({"id": 12, "name": "record_param_comms", "ctrl_deps": 3, "attrs": [)" + attribute("rf_id", "7") + ", " +
         attribute("collective_name", '"' + collective + '"') + ", " + attribute("dtype", '"' + type + '"') + ", " +
         attribute("in_msg_nelems", std::to_string(in)) + ", " + attribute("out_msg_nelems", std::to_string(out)) + ", " +
         attribute("pg_name", '"' + group + '"') + ", " + attribute("pg_size", std::to_string(size)) + "]}";
}

std::string trace(const std::string& nodes) {
  const std::string groups =
      R"({"id": 2, "name": "## process_group:init ##", "inputs": {"values": ["[{\"pg_name\": \"0\", \"ranks\": [0, 1, 2, )"
      R"(3, 4, 5, 6, 7]}, {\"pg_name\": \"tp\", \"ranks\": [0, 1]}, {\"pg_name\": \"dp\", \"ranks\": [0, 2, 4, 6]}, )"
      R"({\"pg_name\": \"ends\", \"ranks\": [0, 7]}]"]}, "attrs": []})";
  return R"({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": [{"id": 1, "name": "aten::mm", "attrs": []}, )" + groups +
         ", " + nodes + "]}";
}

/// A kernel, or another event, of the profiler.
std::string event(const std::string& category, double time, const std::string& collective, int elements, int stream) {
  return R"({"ph": "X", "cat": ")" + category + R"(", "name": "ncclDevKernel", "ts": )" + std::to_string(time) +
         R"(, "dur": 5, "args": {"Collective name": ")" + collective + R"(", "In msg nelems": )" + std::to_string(elements) +
         R"(, "Out msg nelems": 9, "Group size": 4, "dtype": "BFloat16", "Process Group Name": "0", "stream": )" +
         std::to_string(stream) + "}}";
}

const std::string traces = TRIBUTARY_SOURCE_DIR "/testbench/workload/data/traces/";

std::string text_of(const std::string& name) {
  std::ifstream file(traces + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

template <class Run>
std::string refusal_of(Run run) {
  try {
    run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal(const std::string& text) {
  return refusal_of([&] { read_graph_text(text, "FILE"); });
}

}  // namespace

TEST_CASE("collectives of an execution trace have the groups with the stride of its process groups", "[pure][training]") {
  const TaskGraph graph = read_graph_text(
      trace(node("allreduce", 1000, 1000, "Float", "0", 8) + "," + node("_allgather_base", 100, 200, "Half", "tp", 2) + "," +
            node("_reduce_scatter_base", 400, 100, "BFloat16", "dp", 4) + "," + node("barrier", 1, 1, "Float", "0", 8) +
            "," + node("wait", 0, 0, "Byte", "0", 8) + "," + node("broadcast", 3, 3, "Long", "ends", 2)),
      "FILE");
  CHECK_NOTHROW(check(graph));
  CHECK(graph.ranks == 8);
  REQUIRE(graph.tasks.size() == 1 + 4 + 2 + 1);
  CHECK(graph.tasks[0].transfer.collective == "allreduce");
  CHECK(graph.tasks[0].transfer.bytes == 4000);
  CHECK(graph.tasks[0].group == 0);
  const auto ranks = [&](std::size_t task) { return graph.groups[graph.tasks[task].group].ranks; };
  CHECK(graph.tasks[1].transfer.collective == "allgather");
  CHECK(graph.tasks[1].transfer.bytes == 200 * 2);  // all elements after the gather
  CHECK(ranks(1) == std::vector<int>{0, 1});
  CHECK(ranks(4) == std::vector<int>{6, 7});
  CHECK(graph.tasks[5].transfer.collective == "reduce_scatter");
  CHECK(graph.tasks[5].transfer.bytes == 400 * 2);  // all elements before the scatter
  CHECK(ranks(5) == std::vector<int>{0, 2, 4, 6});
  CHECK(ranks(6) == std::vector<int>{1, 3, 5, 7});
  CHECK(graph.tasks[7].transfer.bytes == 3 * 8);
  CHECK(ranks(7) == std::vector<int>{0, 7});
  REQUIRE(graph.warnings.size() == 4);
  CHECK_THAT(graph.warnings[0], Contains("FILE: skipped, since they move no data: 1 barrier, 1 wait"));
  CHECK_THAT(graph.warnings[1], Contains("FILE: the rank of the trace represents all 8 ranks"));
  CHECK_THAT(graph.warnings[2], Contains("process group 'ends' of 2 ranks has no even stride"));
  CHECK_THAT(graph.warnings[3], Contains("1 transfers have an element type that is not simulated"));
}

TEST_CASE("an execution trace of schema 1.0.3 has its collectives among the inputs of nodes", "[pure][training]") {
  const TaskGraph graph = read_graph(traces + "et_inputs.json");
  CHECK_NOTHROW(check(graph));
  CHECK(graph.ranks == 4);
  REQUIRE(graph.tasks.size() == 5);
  CHECK(graph.tasks[0].transfer.collective == "broadcast");
  CHECK(graph.tasks[0].transfer.bytes == 1024 * 4);
  CHECK(graph.tasks[0].transfer.root == 2);
  CHECK(graph.tasks[1].transfer.collective == "allgather");
  CHECK(graph.tasks[1].transfer.bytes == 512 * 2);  // elements of the outputs, in bf16
  CHECK(graph.tasks[1].transfer.type == ElementType::bf16);
  CHECK(graph.groups[graph.tasks[1].group].ranks == std::vector<int>{0, 1});  // first rank and stride
  CHECK(graph.groups[graph.tasks[2].group].ranks == std::vector<int>{2, 3});
  CHECK(graph.tasks[3].transfer.collective == "alltoall");
  CHECK(graph.tasks[3].transfer.bytes == 4096 * 4);
  CHECK(graph.tasks[4].transfer.bytes == 2048 * 4);
  const std::string text = text_of("et_inputs.json");
  CHECK_THAT(refusal(replaced(text, "Tensor(float)", "Tensor(complex)")),
             Contains("FILE: node 10: dtype 'complex' (legal: "));
  CHECK_THAT(refusal(replaced(text, "default_pg\"]", "default_pg\", 0]")),
             Contains("FILE: node 10: no 'collective_name' (legal: traces that record"));
}

TEST_CASE("an execution trace of each rank gives each rank its own calls", "[pure][training]") {
  const TaskGraph graph = read_graph(traces + "et_moe");
  CHECK_NOTHROW(check(graph));
  CHECK(graph.ranks == 2);
  REQUIRE(graph.tasks.size() == 2 * 5);
  for (int rank = 0; rank < 2; ++rank) {
    const auto task = [&](std::size_t k) { return graph.tasks[static_cast<std::size_t>(rank) * 5 + k]; };
    for (std::size_t k = 0; k < 5; ++k) CHECK(task(k).rank == rank);
    CHECK(task(0).transfer.collective == "broadcast");
    CHECK(task(0).transfer.root == 1);
    CHECK(task(0).transfer.bytes == 1024);
    CHECK(task(1).transfer.collective == "alltoall");
    CHECK(task(1).transfer.bytes == 3000 * 4);  // rank 0 sends most
    CHECK(task(2).kind == (rank == 0 ? TaskKind::send : TaskKind::receive));
    CHECK(task(2).transfer.peer == 1 - rank);
    CHECK(task(2).transfer.bytes == 1024);
    CHECK(task(2).transfer.type == ElementType::bf16);
    CHECK(task(3).transfer.bytes == 4096);
    CHECK(task(4).transfer.bytes == 4000);
  }
  REQUIRE(graph.warnings.size() == 2);
  CHECK_THAT(graph.warnings[0], Contains("et_moe.0.json: skipped, since they move no data: 1 wait"));
  CHECK_THAT(graph.warnings[1], Contains("et_moe: 1 all-to-alls have parts of different sizes: equal parts"));
  CHECK(equal(read_graph(traces + "et_moe.%d.json"), graph));

  TemporaryFolder folder;
  const auto refused = [&] { return refusal_of([&] { read_graph(folder.file("et_%d.json")); }); };
  CHECK_THAT(refused(), Contains("et_0.json: cannot be read: No such file or directory (legal: %d for the ranks from 0)"));
  const std::string whole = text_of("et_moe.0.json");
  std::ofstream(folder.file("et_1.json")) << replaced(whole, R"([{\"pg_name\")",
                                                      R"([{\"pg_name\": \"9\", \"ranks\": [0, 2]}, {\"pg_name\")");
  std::ofstream(folder.file("et_0.json")) << whole;
  CHECK_THAT(refused(), Contains("et_%d.json: traces of 2 ranks, but they name 3 ranks (legal: a trace for each rank"));
  CHECK_THAT(refusal_of([&] { read_graph(folder.file("")); }), Contains("et_0.json: no rank in distributedInfo (legal in a "
                                                                        "folder: "));
  std::ofstream(folder.file("et_1.json")) << R"({"traceEvents": [], "distributedInfo": {"rank": 0}})";
  CHECK_THAT(refused(), Contains("et_1.json: no collectives"));
  std::ofstream(folder.file("et_1.json")) << replaced(text_of("kineto_truncated_ranks.json"), "world_size", "size");
  CHECK_THAT(refused(), Contains("et_1.json: the trace of rank 0 (legal: that of rank 1)"));
}

TEST_CASE("a folder has the profiler's traces of all ranks, whatever their names", "[pure][training]") {
  TemporaryFolder folder;
  const std::string zero =
      replaced(text_of("kineto_old.json"), "\"schemaVersion\": 1", "\"distributedInfo\": {\"rank\": 0}");
  const std::string one = replaced(zero, "\"rank\": 0", "\"rank\": 1");
  const auto write = [&](const std::string& name, const std::string& text) { std::ofstream(folder.file(name)) << text; };
  write("host_17.169412.pt.trace.json", one);
  write("host_18.169413.pt.trace.json", zero);
  write("notes.txt", "");
  const TaskGraph graph = read_graph(folder.file(""));
  CHECK_NOTHROW(check(graph));
  CHECK(graph.ranks == 2);
  REQUIRE(graph.tasks.size() == 2 * 3);
  for (std::size_t k = 0; k < 6; ++k) CHECK(graph.tasks[k].rank == static_cast<int>(k / 3));
  CHECK(graph.tasks[4].transfer.bytes == 4000);
  CHECK(graph.warnings.empty());
  write("host_18.169413.pt.trace.json", one);
  CHECK_THAT(refusal_of([&] { read_graph(folder.file("")); }),
             Contains("host_18.169413.pt.trace.json: the trace of rank 1 (legal: each rank from 0 once)"));
  write("host_16.json", "{\"id\": 1, \"type\": \"COMP_NODE\"}");
  CHECK_THAT(refusal_of([&] { read_graph(folder.file("")); }), Contains("host_16.json is not a trace of PyTorch (legal: "));
  TemporaryFolder traces_of_chakra;
  for (const char* name : {"gpt2_rank0.et", "gpt2_rank1.et"}) std::ofstream(traces_of_chakra.file(name)) << "x";
  CHECK_THAT(refusal_of([&] { read_graph(traces_of_chakra.file("")); }),
             Contains("is a directory without traces of PyTorch (legal: ") && Contains("gpt2_rank%d.et)"));
}

TEST_CASE("an all-to-all has the elements that a rank sends, and a group that no list has is refused", "[pure][training]") {
  const std::string text = text_of("et_tp_split.json");
  CHECK_THAT(refusal(text), Contains("FILE: node 9: process group '7' of 2 ranks, which the groups of the trace do not have "
                                     "(legal: '0' or 'tp')"));
  const std::string listed = replaced(text, "\"7\"", "\"tp\"");
  const TaskGraph graph = read_graph_text(listed, "FILE");
  REQUIRE(graph.tasks.size() == 1 + 2);  // in the order of their numbers
  CHECK(graph.tasks[0].transfer.collective == "alltoall");
  CHECK(graph.tasks[0].transfer.bytes == 8192 * 2);
  CHECK(graph.tasks[1].transfer.collective == "allreduce");
  CHECK(graph.tasks[1].transfer.bytes == 4096 * 2);
  CHECK(graph.groups[graph.tasks[2].group].ranks == std::vector<int>{2, 3});
  REQUIRE(graph.warnings.size() == 3);
  CHECK_THAT(graph.warnings[0], Contains("skipped, since they move no data: 1 barrier"));
  CHECK_THAT(graph.warnings[2], Contains("1 all-to-alls have parts of different sizes"));
  CHECK_THAT(refusal(replaced(listed, "[2, 3, 1, 2]", "[2, 3, 3]")),
             Contains("node 5: in_split_size has 3 parts (legal: 4, "));
  CHECK_THAT(refusal(replaced(listed, "[2, 3, 1, 2]", "[2, 3, 1, 1]")),
             Contains("node 5: in_split_size has a sum that does not divide in_msg_nelems (legal: rows of 8192 elements)"));
  CHECK(read_graph_text(replaced(listed, "[2, 3, 1, 2]", "[2, 2, 2, 2]"), "FILE").warnings.size() == 2);
}

TEST_CASE("computation between collectives without times may be given", "[pure][training]") {
  ReadOptions options;
  options.compute_gap = 7'000'000;
  const TaskGraph graph = read_graph(traces + "et_ddp_2ranks.json", options);
  REQUIRE(graph.tasks.size() == 3 + 2);
  for (const std::size_t gap : {1, 3}) {
    const TaskId before = static_cast<TaskId>(gap - 1);
    CHECK(graph.tasks[gap].kind == TaskKind::compute);
    CHECK(graph.tasks[gap].work.time == 7'000'000);
    CHECK(graph.tasks[gap].after == std::vector<TaskId>{before});
    CHECK(graph.tasks[gap + 1].kind == TaskKind::collective);
    CHECK(graph.tasks[gap + 1].after == std::vector<TaskId>{before + 1});
  }
  CHECK_THAT(refusal_of([&] { read_graph(traces + "kineto_old.json", options); }),
             Contains("kineto_old.json: graph.compute_gap, but the trace has the times of computation"));
  CHECK_THAT(refusal_of([&] { read_graph(traces + "stg_tp2dp2", options); }),
             Contains("stg_tp2dp2: graph.compute_gap has no effect on this format (legal: a log of NCCL, "));
}

TEST_CASE("execution traces that record no process groups are refused by their schema", "[pure][training]") {
  const std::string text = text_of("et_ddp_2ranks.json");
  const auto with = [&](const std::string& schema) { return refusal(replaced(text, "1.1.1-chakra.0.0.4", schema)); };
  for (const char* schema : {"1.0.1", "1.0.2-chakra.0.0.4", "0.9.9", "1"})
    CHECK_THAT(with(schema), Contains("FILE: schema " + std::string(schema) +
                                      " does not record process groups (legal: from "
                                      "1.0.3"));
  for (const char* schema : {"1.0.3-chakra.0.0.4", "1.1.0", "2.0.0"}) CHECK(with(schema) == "accepted");
  CHECK_THAT(refusal(replaced(text, "\"value\": 2\n", "\"value\": 1\n")),
             Contains("FILE: all collectives have one rank (legal: a trace of a run on several ranks)"));
}

TEST_CASE("kernels of a profiler's trace are collectives in the order of their start", "[pure][training]") {
  const std::string events = event("cpu_op", 1, "allreduce", 5, 0) + "," + event("kernel", 30.5, "allreduce", 512, 20) +
                             "," + event("kernel", 10.25, "allreduce", 256, 24) +
                             R"(, {"ph": "X", "cat": "kernel", "name": "gemm", "ts": 3, "dur": 1, "args": {"stream": 7}})";
  const TaskGraph graph = read_graph_text(R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}", "FILE");
  CHECK_NOTHROW(check(graph));
  CHECK(graph.ranks == 4);
  REQUIRE(graph.tasks.size() == 3);
  CHECK(graph.tasks[0].kind == TaskKind::compute);
  CHECK(graph.tasks[0].work.time == 1'000'000);
  CHECK(graph.tasks[1].transfer.bytes == 512);  // 256 elements of two bytes
  CHECK(graph.tasks[2].transfer.bytes == 1024);
  CHECK(graph.tasks[1].queue != graph.tasks[2].queue);
  // Without a list of the group's ranks, its first rank and its stride give them.
  std::string strided = event("kernel", 1, "allreduce", 5, 7);
  strided.insert(strided.find("\"dtype\""), R"("Global rank start": 0, "Global rank stride": 2, )");
  std::string world = event("kernel", 2, "allreduce", 5, 7);
  world.replace(world.find("\"Group size\": 4"), 15, "\"Group size\": 8");
  const TaskGraph pairs = read_graph_text(R"({"traceEvents": [)" + strided + "," + world + "]}", "FILE");
  CHECK(pairs.ranks == 8);
  REQUIRE(pairs.tasks.size() == 3);
  CHECK(pairs.groups[pairs.tasks[0].group].ranks == std::vector<int>{0, 2, 4, 6});
  CHECK(pairs.groups[pairs.tasks[1].group].ranks == std::vector<int>{1, 3, 5, 7});
  // Without kernels the operators count.
  const TaskGraph host = read_graph_text(R"({"traceEvents": [)" + event("cpu_op", 1, "allreduce", 5, 0) + "]}", "FILE");
  CHECK(host.tasks.at(0).transfer.bytes == 10);
}

TEST_CASE("traces of PyTorch that cannot be carried out are refused with their place", "[pure][training]") {
  CHECK_THAT(refusal(trace(node("scatter", 8, 8, "Float", "0", 8))),
             Contains("FILE: node 12: 'scatter' is not simulated from a trace (legal: allreduce,"));
  CHECK_THAT(refusal(trace(node("allreduce", 8, 8, "ComplexFloat", "0", 8))),
             Contains("FILE: node 12: dtype 'ComplexFloat' (legal: Float, Half,"));
  CHECK_THAT(refusal(trace(node("allreduce", 8, 8, "Float", "tp", 4))),
             Contains("FILE: node 12: process group 'tp' of 4 ranks, which lists 2"));
  CHECK_THAT(refusal(trace(node("allreduce", -8, 8, "Float", "0", 8))),
             Contains("FILE: node 12: in_msg_nelems is '-8' (legal: a whole number from 0)"));
  CHECK_THAT(refusal(trace(node("send", 8, 8, "Float", "0", 8))), Contains("FILE: node 12: 'send' of one process"));
  CHECK_THAT(refusal(trace(R"({"id": 12, "name": "record_param_comms", "attrs": []})")),
             Contains("FILE: node 12: no 'collective_name' (legal: "));
  CHECK_THAT(refusal(trace(node("barrier", 1, 1, "Float", "0", 8))), Contains("FILE: no collectives (legal: "));
  CHECK_THAT(refusal(R"({"a": 1})"), Contains("FILE: no trace of PyTorch (legal: a JSON object with"));
  CHECK_THAT(refusal(R"({"nodes": [)"), Contains("FILE: byte "));
}

}  // namespace tributary::test_pytorch_trace
