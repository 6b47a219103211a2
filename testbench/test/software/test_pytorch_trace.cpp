// Task graphs of PyTorch's traces.
#include <catch2/catch.hpp>

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

std::string refusal(const std::string& text) {
  try {
    read_graph_text(text, "FILE");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
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
  REQUIRE(graph.warnings.size() == 2);
  CHECK_THAT(graph.warnings[0], Contains("process group 'ends' of 2 ranks has no even stride"));
  CHECK_THAT(graph.warnings[1], Contains("1 collectives have an element type that is not simulated"));
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
