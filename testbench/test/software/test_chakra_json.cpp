// Chakra traces as JSON, and the traces in testbench/workload/data/traces.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "testbench/test/harness/graph_equality.h"
#include "testbench/test/harness/mutated_texts.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/task_times.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/read/chakra_file.h"
#include "testbench/workload/training/read/chakra_json.h"
#include "testbench/workload/training/read/graph_yaml.h"
#include "testbench/workload/training/read/read_graph.h"

namespace tributary::test_chakra_json {

using namespace tributary::training;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

const std::string traces = TRIBUTARY_SOURCE_DIR "/testbench/workload/data/traces/";

/// Messages as mlcommons/chakra's jsonizer writes them, one after another.
const std::string messages = R"({
  "version": "0.0.4"
}{
  "id": "3", "name": "wait {", "type": "COMP_NODE", "durationMicros": "12",
  "attr": [{"name": "is_cpu_op", "boolVal": true}]
}{
  "id": "7", "name": "sum \"a\"", "type": "COMM_COLL_NODE", "ctrlDeps": ["2"], "dataDeps": ["3"],
  "attr": [{"name": "is_cpu_op", "boolVal": false}, {"name": "comm_type", "int64Val": "2"},
           {"name": "comm_size", "int64Val": "4096"}, {"name": "pg_name", "stringVal": "tp"},
           {"name": "involved_dim", "boolList": {"values": [true, false]}}, {"name": "op_name", "stringVal": "x"}]
})";

std::vector<ChakraNode> nodes_of(const std::string& text) {
  std::istringstream file(text);
  std::vector<ChakraNode> nodes;
  read_chakra(file, "FILE", [&](ChakraNode&& node) { nodes.push_back(std::move(node)); });
  return nodes;
}

std::string refusal(const std::string& text) {
  try {
    nodes_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string node(const std::string& rest) {
  return R"({"nodes": [{"id": 5, "name": "n", "node_type": "comp_node")" + rest + "}]}";
}

}  // namespace

TEST_CASE("messages of a Chakra trace are read from protobuf's JSON", "[pure][training]") {
  const std::vector<ChakraNode> nodes = nodes_of(messages);
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].place() == "byte 24: node 3 'wait {'");
  CHECK(nodes[0].type == ChakraType::compute);
  CHECK(nodes[0].on_cpu);
  CHECK(nodes[0].micros == 12);
  CHECK(nodes[1].name == "sum \"a\"");
  CHECK(nodes[1].type == ChakraType::collective);
  CHECK_FALSE(nodes[1].on_cpu);
  CHECK(nodes[1].data_deps == std::vector<std::uint64_t>{3});
  CHECK(nodes[1].control_deps == std::vector<std::uint64_t>{2});
  CHECK(nodes[1].type_number == 2u);
  CHECK(nodes[1].bytes == 4096u);
  CHECK(nodes[1].group == "tp");
  CHECK(nodes[1].part_of_dimensions);
  // The names of the schema, and process groups of PyTorch.
  const std::string schema =
      R"({"id": 1, "type": 1, "name": "g", "inputs": {"values": "['[{\"pg_name\": \"tp\", \"ranks\": [1, 3]}]']"}})"
      R"({"id": 2, "type": 4, "duration_micros": 9, "data_deps": [1], "attr": [{"name": "num_ops", "uint64_val": 8}],)"
      R"( "name": "COMP_NODE"})";
  const std::vector<ChakraNode> named = nodes_of(schema);
  CHECK(named.at(0).groups.at(0).ranks == std::vector<std::uint64_t>{1, 3});
  CHECK(named.at(1).micros == 9);
  CHECK(named.at(1).data_deps == std::vector<std::uint64_t>{1});
  CHECK(named.at(1).operations == 8u);
}

TEST_CASE("a trace is read from the JSON of the feeder", "[pure][training]") {
  ReadOptions options;
  options.ranks = 4;
  const TaskGraph graph = read_graph(traces + "feeder.json", options);
  CHECK_NOTHROW(check(graph));
  REQUIRE(graph.tasks.size() == 4);
  CHECK(graph.tasks[0].kind == TaskKind::compute);
  CHECK(graph.tasks[0].work.time == 120'000'000);  // `runtime`, us
  CHECK(graph.tasks[1].kind == TaskKind::mark);    // the host's call
  CHECK(graph.tasks[2].transfer.collective == "allreduce");
  CHECK(graph.tasks[2].transfer.bytes == 65536);
  CHECK(graph.tasks[2].after == std::vector<TaskId>{0, 1});
  CHECK(graph.tasks[3].work.time == 30'000'000);
  // The traces of the feeder's tests have no attributes of transfers.
  const std::string bare = R"({"workload_graph": [{"Id": 1, "Name": "nccl", "NodeType": 7, "data_deps": [],)"
                           R"( "is_cpu_op": false}]})";
  CHECK_THROWS_WITH(read_graph_text(bare, "FILE", options),
                    Contains("FILE: byte 20: node 1 'nccl': a collective without attribute comm_type (legal: 0 to 9"));
}

TEST_CASE("traces of symbolic_tensor_graph give the same graph from Protocol Buffers and JSON", "[pure][training]") {
  const TaskGraph graph = read_graph(traces + "stg_tp2dp2"), json = read_graph(traces + "stg_json");
  CHECK(equal(json, graph));
  std::ifstream expected(traces + "stg_tp2dp2.yaml");
  std::ostringstream text;
  text << expected.rdbuf();
  TaskGraph timed = graph;
  give_times(timed, {});
  CHECK(equal(read_graph_yaml(text.str(), "stg_tp2dp2.yaml"), timed));
  CHECK_NOTHROW(check(graph));
  REQUIRE(graph.tasks.size() == 4 * 8);
  REQUIRE(graph.groups.size() == 5);  // all, two groups of tensor parallel ranks, two of replicas
  REQUIRE(graph.warnings.size() == 1);
  CHECK_THAT(graph.warnings[0], Contains("16 compute nodes with operations and no duration: the roofline"));
  for (const training::Task& task : graph.tasks) {
    const std::vector<int>& ranks = graph.groups[task.group].ranks;
    const bool gradients = task.name.find("dw") != std::string::npos;
    if (task.kind == TaskKind::compute) {
      CHECK(task.work.kind == Work::Kind::roofline);
      if (task.name == "mb0.layer1.bwd") CHECK(task.work.flop == 4'000'000'000u);
      if (task.name == "mb0.layer1.bwd") CHECK(task.work.bytes == 90'000'000u);
      const Tick time = timed.tasks[static_cast<std::size_t>(&task - graph.tasks.data())].work.time;
      if (task.name == "mb0.layer1.bwd") CHECK(time == 106'000'000);  // 90 MB at 900 GB/s, and a launch of 6 us
      if (task.name == "mb0.layer0.fwd") CHECK(time == 14'333'333);   // 10^9 operations at 120 TFLOP/s
    } else if (gradients) {
      CHECK(ranks == std::vector<int>{task.rank % 2, task.rank % 2 + 2});
      CHECK(task.transfer.bytes == (task.name == "layer1.dw_X2COMM" ? 1048576u : 524288u));
      CHECK(task.transfer.collective == (task.name == "layer1.dw_X2COMM" ? "reduce_scatter" : "allreduce"));
    } else {
      CHECK(ranks == std::vector<int>{task.rank / 2 * 2, task.rank / 2 * 2 + 1});
      CHECK(task.transfer.bytes == 65536u);
    }
  }
}

TEST_CASE("traces of each rank are PREFIX.0.json and so on, and none may be missing", "[pure][training]") {
  TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) { std::ofstream(folder.file(name)) << text; };
  for (const char* name : {"t.0.json", "t.1.json", "t.3.json"}) write(name, node(""));
  const auto read = [&]() -> std::string {
    try {
      return std::to_string(read_graph(folder.file("t")).ranks) + " ranks";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  CHECK_THAT(read(), Contains("t.2.json: missing, but t.3.json exists"));
  write("t.2.json", node(""));
  CHECK(read() == "4 ranks");
  write("t.2.json", R"({"traceEvents": []})");
  CHECK_THAT(read(), Contains("t.2.json: not a Chakra trace"));
}

TEST_CASE("invalid content of a Chakra trace as JSON is rejected with its byte and node", "[pure][training]") {
  CHECK(refusal(node("")) == "accepted");
  CHECK_THAT(refusal(node(R"(, "num_ops": -1)")),
             Equals("FILE: byte 11: node 5 'n': num_ops is '-1' (legal: a whole number from 0)"));
  CHECK_THAT(refusal(node(R"(, "data_deps": 3)")), Contains("data_deps is '3' (legal: a list of numbers)"));
  CHECK_THAT(refusal(node(R"(, "data_deps": ["x"])")), Contains("data_deps is 'x'"));
  CHECK_THAT(refusal(node(R"(, "comm_type": "ALL_SUM")")), Contains("comm_type is 'ALL_SUM' (legal: ALL_REDUCE, "));
  CHECK_THAT(refusal(node(R"(, "attr": [3])")), Contains("node 5 'n': an attribute without a name"));
  CHECK_THAT(refusal(R"({"id": 1, "type": "COMP_NODE"}{"id": 2, "type": "NODE"})"),
             Contains("FILE: byte 30: type is 'NODE' (legal: INVALID_NODE, "));
  CHECK_THAT(refusal(R"({"id": 1, "type": "COMP_NODE"} ])"), Contains("FILE: byte 31: not JSON"));
  CHECK_THAT(refusal(R"({"id": 1, "type": "COMP_NODE"}{"id": )"), Contains("FILE: byte 37: the file ends within"));
  CHECK_THAT(refusal(R"({"id": 1, "type": "COMP_NODE",})"), Contains("FILE: byte 0: not JSON"));
}

TEST_CASE("mutated Chakra traces as JSON are read or rejected quickly", "[pure][training]") {
  ReadOptions options;
  options.ranks = 4;
  const std::string listed =
      node(R"(, "num_ops": 8, "tensor_size": 64}, {"id": 6, "name": "s", "data_deps": [5], "node_type": )"
           R"("coll_comm_node", "comm_size": 64, "comm_type": "ALL_REDUCE")");
  std::string plain = messages;
  plain.replace(plain.find("\"tp\""), 4, "\"\"");
  plain.replace(plain.find("[true, false]"), 13, "[true]");
  const auto read = [&](const std::string& text) { read_graph_text(text, "FILE", options); };
  CHECK(fuzzed<InputError>({{listed, plain, listed},
                            {"comm_type", "pg_name", "\"attr\": [", "{\"id\": 9}", "COMM_SEND_NODE", "}", "\"", "\\"}},
                           41, mutations(20'000), "FILE:", read, 4000) == "");
}

}  // namespace tributary::test_chakra_json
