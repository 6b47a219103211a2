// Task graphs read from Chakra traces.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "testbench/test/harness/chakra_writer.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/read_graph.h"

namespace tributary::test_chakra_graph {

using namespace tributary::training;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using Writer = ChakraWriter;
using chakra_nodes::collective;
using chakra_nodes::host;

namespace {

template <class Run>
std::string refusal(Run run) {
  try {
    run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string refused(const Writer& writer, const ReadOptions& options = {}) {
  return refusal([&] { read_graph_text(writer.bytes(), "FILE", options); });
}

void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace

TEST_CASE("a Chakra trace may represent all ranks", "[pure][training]") {
  Writer writer;
  writer.add({5, "gemm", 4, 1300, {2}, {}, {Writer::flag("is_cpu_op", false)}});  // waits for a later node
  writer.add(host(2, 7)).add(host(9, 3)).add(collective(6, 0, 8196000, {5}));
  Writer::Node call = collective(4, 0, 8196000, {9});
  call.attributes[0] = Writer::flag("is_cpu_op", true);
  call.micros = 11;
  ReadOptions options;
  options.ranks = 4;
  options.scale = 0.5;
  const TaskGraph graph = read_graph_text(writer.add(call).bytes(), "FILE", options);
  CHECK(graph.ranks == 4);
  REQUIRE(graph.tasks.size() == 5);
  // Order by dependencies, then by ids: 2, 5, 6, 9, 4.
  CHECK(graph.tasks[0].name == "host2");
  CHECK(graph.tasks[0].kind == TaskKind::mark);
  CHECK(graph.tasks[0].delay == 3'500'000);
  CHECK(graph.tasks[1].name == "gemm");
  CHECK(graph.tasks[1].kind == TaskKind::compute);
  CHECK(graph.tasks[1].work.time == 650'000'000);
  CHECK(graph.tasks[1].after == std::vector<TaskId>{0});
  CHECK(graph.tasks[2].kind == TaskKind::collective);
  CHECK(graph.tasks[2].transfer.collective == "allreduce");
  CHECK(graph.tasks[2].transfer.bytes == 8196000);
  CHECK(graph.tasks[2].transfer.root == 0);
  CHECK(graph.tasks[2].rank == -1);
  CHECK(graph.tasks[3].name == "host9");
  CHECK(graph.tasks[3].after == std::vector<TaskId>{0});  // host operations are sequential
  CHECK(graph.tasks[4].name == "coll4");
  CHECK(graph.tasks[4].kind == TaskKind::mark);  // the host's call of a collective
  CHECK(graph.tasks[4].delay == 5'500'000);
  CHECK(graph.tasks[4].after == std::vector<TaskId>{3});
  CHECK(graph.compute_order == Order::priority);
  CHECK(graph.tasks[1].priority < graph.tasks[2].priority);
}

TEST_CASE("compute of a Chakra trace may be given by operations and bytes", "[pure][training]") {
  ReadOptions options;
  options.times = TraceTimes::roofline;
  Writer::Node node{1, "gemm", 4, 1300, {}, {}, {Writer::integer("num_ops", 1'000'000'000'000)}};
  CHECK_THAT(refused(Writer().add(node), options),
             Equals("FILE: byte 8: node 1 'gemm': no attribute tensor_size, which compute.model = roofline needs"));
  node.attributes.push_back(Writer::unsigned_number("tensor_size", 4096));
  const TaskGraph graph = read_graph_text(Writer().add(node).add(host(2, 7)).bytes(), "FILE", options);
  CHECK(graph.tasks[0].work.kind == Work::Kind::roofline);
  CHECK(graph.tasks[0].work.flop == 1'000'000'000'000u);
  CHECK(graph.tasks[0].work.bytes == 4096);
  CHECK(graph.tasks[1].delay == 7'000'000);  // host time as recorded
}

TEST_CASE("compute of a Chakra trace without durations follows from its operations, with a warning", "[pure][training]") {
  const std::vector<ChakraWriter::Attribute> counts{Writer::integer("num_ops", 1'000'000),
                                                    Writer::integer("tensor_size", 64)};
  Writer generated;  // the third node has a duration, which counts
  generated.add({1, "gemm", 4, 0, {}, {}, counts})
      .add({2, "sum", 4, 0, {}, {}, {counts[0]}})
      .add({3, "c", 4, 5, {}, {}, counts});
  const TaskGraph graph = read_graph_text(generated.bytes(), "FILE");
  CHECK(graph.tasks[0].work.kind == Work::Kind::roofline);
  CHECK(graph.tasks[0].work.flop == 1'000'000u);
  CHECK(graph.tasks[0].work.bytes == 64u);
  CHECK(graph.tasks[1].work.bytes == 0u);
  CHECK(graph.tasks[2].work.time == 5'000'000u);
  REQUIRE(graph.warnings.size() == 1);
  CHECK_THAT(graph.warnings[0], Equals("FILE: 2 compute nodes with operations and no duration: the roofline (compute.peak, "
                                       "compute.memory_rate, compute.launch) gives the time"));
  ReadOptions options;
  options.times = TraceTimes::trace;
  const TaskGraph recorded = read_graph_text(generated.bytes(), "FILE", options);
  CHECK(recorded.tasks[0].work.time == 0);
  REQUIRE(recorded.warnings.size() == 1);
  CHECK_THAT(recorded.warnings[0], Contains("2 compute nodes with operations and no duration take no time"));
  CHECK_THAT(refused(Writer().add({1, "gemm", 4, 0, {}, {}, counts}).add(host(2, 7)), options),
             Equals("FILE: 1 compute node with operations and no duration, of which compute.model=trace has no time (legal: "
                    "compute.model=roofline)"));
}

TEST_CASE("compute nodes of a Chakra trace without any time bring a warning", "[pure][training]") {
  Writer empty;
  empty.add({1, "gemm", 4, 0}).add(host(2, 7)).add(collective(3, 0, 4096));
  const TaskGraph graph = read_graph_text(empty.bytes(), "FILE");
  REQUIRE(graph.warnings.size() == 1);
  CHECK_THAT(graph.warnings[0],
             Equals("FILE: 1 compute node without duration and operations (num_ops): computation takes no time"));
  CHECK(read_graph_text(Writer().add(collective(3, 0, 4096)).bytes(), "FILE").warnings.empty());
  CHECK(read_graph_text(Writer().add({1, "short", 4, 0}).add({2, "long", 4, 9}).bytes(), "FILE").warnings.empty());
}

TEST_CASE("control dependencies of a Chakra trace are used as configured", "[pure][training]") {
  Writer generated;
  generated.add({1, "a", 4, 1}).add({2, "b", 4, 1, {}, {1}});
  CHECK(read_graph_text(generated.bytes(), "FILE").tasks[1].after == std::vector<TaskId>{0});
  ReadOptions options;
  options.control = ControlDependencies::ignored;
  CHECK(read_graph_text(generated.bytes(), "FILE", options).tasks[1].after.empty());
  Writer recorded;  // an operator that is missing in the file has called both
  recorded.add({1, "a", 4, 1, {}, {77}}).add({2, "b", 4, 1, {1}, {1}}).add({3, "c", 4, 1, {}, {2}});
  CHECK(read_graph_text(recorded.bytes(), "FILE").tasks[2].after.empty());
  options.control = ControlDependencies::taken;
  const TaskGraph taken = read_graph_text(recorded.bytes(), "FILE", options);
  CHECK(taken.tasks[2].after == std::vector<TaskId>{1});
  CHECK(taken.warnings ==
        std::vector<std::string>{"FILE: 1 dependencies on nodes that are missing in the trace are ignored"});
}

TEST_CASE("collectives of a Chakra trace are read by number, with Tributary's message sizes", "[pure][training]") {
  ReadOptions options;
  options.ranks = 8;
  const std::vector<std::pair<std::string, std::uint64_t>> right{{"allreduce", 4096},
                                                                 {"reduce", 4096},
                                                                 {"allgather", 8 * 4096},
                                                                 {"gather", 8 * 4096},
                                                                 {"", 0},
                                                                 {"broadcast", 4096},
                                                                 {"alltoall", 4096},
                                                                 {"reduce_scatter", 4096},
                                                                 {"", 0},
                                                                 {"barrier", 4096}};
  for (int type = 0; type < 10; ++type) {
    Writer writer;
    writer.add(collective(1, type, 4096));
    if (right[static_cast<std::size_t>(type)].first.empty()) {
      CHECK_THAT(refused(writer, options), Contains("SCATTER") && Contains("is not simulated"));
      continue;
    }
    const Transfer t = read_graph_text(writer.bytes(), "FILE", options).tasks.at(0).transfer;
    CHECK(t.collective == right[static_cast<std::size_t>(type)].first);
    CHECK(t.bytes == right[static_cast<std::size_t>(type)].second);
  }
  CHECK_THAT(refused(Writer().add(collective(1, 10, 4096))), Contains("unknown comm_type 10 (legal: 0 to 9)"));
  CHECK(read_graph_text(Writer().add(collective(1, 9, 0)).bytes(), "FILE").tasks[0].transfer.bytes == 128);
  // Converters of text workloads write NONE as an all-reduce of no bytes.
  CHECK(read_graph_text(Writer().add(collective(1, 0, 0)).bytes(), "FILE").tasks[0].kind == TaskKind::mark);
  Writer::Node rooted = collective(1, 5, 4096);
  rooted.attributes.push_back(Writer::integer("comm_src", 6));
  CHECK(read_graph_text(Writer().add(rooted).bytes(), "FILE", options).tasks[0].transfer.root == 6);
  CHECK_THAT(refused(Writer().add(rooted)), Contains("comm_src 6 (legal: 0 to 0)"));
  rooted.attributes.push_back(Writer::flags("involved_dim", {true, false}));
  CHECK_THAT(refused(Writer().add(rooted), options), Contains("involved_dim excludes dimensions of the network"));
}

TEST_CASE("Chakra traces per rank are read with process groups, sends and receives", "[pure][training]") {
  TemporaryFolder folder;
  const std::string prefix = folder.file("trace");
  for (int rank = 0; rank < 4; ++rank) {
    Writer::Node groups{1, "groups", 1};
    groups.input_values = R"(['[{"pg_name": "0", "ranks": []}, {"pg_name": "7", "ranks": [)" +
                          std::string(rank % 2 == 0 ? "0, 2" : "1, 3") + "]}]']";
    Writer::Node reduce = collective(5, 2, 1000, {3});
    reduce.attributes.push_back(Writer::word("pg_name", "7"));
    Writer writer;
    writer.add(reduce).add(groups).add({3, "work", 4, 10});
    const bool sends = rank == 1;
    if (rank == 1 || rank == 2)
      writer.add({8,
                  "p2p",
                  sends ? 5u : 6u,
                  0,
                  {5},
                  {},
                  {Writer::integer("comm_size", 512), Writer::integer("comm_tag", 3),
                   Writer::integer(sends ? "comm_dst" : "comm_src", sends ? 2 : 1)}});
    write(prefix + "." + std::to_string(rank) + ".et", writer.bytes());
  }
  const TaskGraph graph = read_graph(prefix);
  CHECK(graph.ranks == 4);
  REQUIRE(graph.groups.size() == 3);
  CHECK(graph.groups[1].ranks == std::vector<int>{0, 2});
  CHECK(graph.groups[2].ranks == std::vector<int>{1, 3});
  CHECK(graph.groups[1].name != graph.groups[2].name);
  int transfers = 0;
  for (const Task& task : graph.tasks) {
    if (task.kind == TaskKind::collective) {
      CHECK(task.group == (task.rank % 2 == 0 ? 1u : 2u));
      CHECK(task.transfer.bytes == 2000);  // slices of both ranks
      ++transfers;
    }
    if (task.kind == TaskKind::send || task.kind == TaskKind::receive) {
      CHECK(task.rank == (task.kind == TaskKind::send ? 1 : 2));
      CHECK(task.transfer.peer == (task.kind == TaskKind::send ? 2 : 1));
      CHECK(task.transfer.tag == 3);
      CHECK(task.transfer.bytes == 512);
      ++transfers;
    }
  }
  CHECK(transfers == 6);
  ReadOptions options;
  options.ranks = 8;
  CHECK_THAT(refusal([&] { read_graph(prefix, options); }), Contains("traces of 4 ranks, but the run has 8"));
  CHECK_THAT(refusal([&] { read_graph(prefix + ".1.et"); }),
             Contains("a send in a trace for all ranks") || Contains("has rank"));
  std::filesystem::remove(prefix + ".2.et");
  CHECK_THAT(refusal([&] { read_graph(prefix); }), Contains("trace.2.et: missing, but trace.3.et exists"));
  CHECK_THAT(refusal([&] { read_graph(folder.file("other")); }), Contains("other: cannot be read"));
}

namespace {

/// Writes traces of four ranks with an all-reduce in group 1 (ranks 0 and 1) or 2, which no node lists.
std::string write_grouped(const TemporaryFolder& folder, const std::string& name) {
  const std::string prefix = folder.file(name);
  for (int rank = 0; rank < 4; ++rank) {
    Writer::Node reduce = collective(5, 0, 1000, {3});
    reduce.attributes.push_back(Writer::word("pg_name", rank < 2 ? "1" : "2"));
    write(prefix + "." + std::to_string(rank) + ".et", Writer().add({3, "work", 4, 10}).add(reduce).bytes());
  }
  return prefix;
}

void check_pairs(const TaskGraph& graph) {
  REQUIRE(graph.groups.size() == 3);
  CHECK(graph.groups[1].ranks == std::vector<int>{0, 1});
  CHECK(graph.groups[2].ranks == std::vector<int>{2, 3});
  for (const Task& task : graph.tasks)
    if (task.kind == TaskKind::collective) CHECK(task.group == (task.rank < 2 ? 1u : 2u));
}

}  // namespace

TEST_CASE("process groups of Chakra traces are read from a file next to them", "[pure][training]") {
  const std::string groups = R"({"1": [0, 1], "2": [2, 3]})";
  TemporaryFolder folder;
  const std::string prefix = write_grouped(folder, "step");
  CHECK_THAT(refusal([&] { read_graph(prefix); }),
             Contains("step.0.et: byte") && Contains("unknown process group '1'") && Contains("legal: graph.groups=FILE"));
  write(folder.file("comm_group.json"), groups);
  check_pairs(read_graph(prefix));
  // The file of the traces' name goes before the common one, unless it is another kind of JSON.
  write(folder.file("comm_group.json"), R"({"3": [0, 1, 2, 3]})");
  write(folder.file("step.json"), R"({"schema": 1, "results": []})");
  CHECK_THAT(refusal([&] { read_graph(prefix); }),
             Contains("unknown process group '1'") &&
                 Contains("; groups are those of the trace and of " + folder.file("comm_group.json")));
  write(folder.file("step.json"), groups);
  check_pairs(read_graph(prefix));
  ReadOptions options;
  options.groups = GroupFile{folder.file("mine")};
  CHECK_THAT(refusal([&] { read_graph(prefix, options); }), Contains("mine: cannot be read"));
  write(folder.file("mine"), R"({"1": [0, 1], "2": [2, 4]})");
  CHECK_THAT(refusal([&] { read_graph(prefix, options); }),
             Equals(folder.file("mine") + ": process group '2' has rank 4 (legal: 0 to 3)"));
  write(folder.file("mine"), R"({"1": [0, 1], "2": [2, 3, 2]})");
  CHECK_THAT(refusal([&] { read_graph(prefix, options); }),
             Equals(folder.file("mine") + ": process group '2' has rank 2 twice (legal: a list of different ranks, at least "
                                          "one)"));
  for (const std::string text :
       {"", "[1]", "{}", "{\"1\": 3}", "{\"1\": []}", "{\"1\": [-1]}", "{\"1\": [\"a\"]}", "{\"1\"", "{\"1\": [0, 2, 0]}"}) {
    write(folder.file("mine"), text);
    CHECK_THAT(refusal([&] { read_graph(prefix, options); }),
               Contains(folder.file("mine") + ": ") && Contains("(legal: a "));
  }
}

TEST_CASE("groups that nodes of a Chakra trace list go before those of a file", "[pure][training]") {
  TemporaryFolder folder;
  Writer::Node groups{1, "groups", 1};
  groups.input_values = R"(['[{"pg_name": "1", "ranks": []}]'])";
  Writer::Node reduce = collective(5, 0, 1000);
  reduce.attributes.push_back(Writer::word("pg_name", "1"));
  for (int rank = 0; rank < 2; ++rank)
    write(folder.file("t." + std::to_string(rank) + ".et"), Writer().add(groups).add(reduce).bytes());
  write(folder.file("comm_group.json"), "no JSON");  // not needed, not read
  CHECK(read_graph(folder.file("t")).tasks.at(1).group == 0);
}

TEST_CASE("the greater comm_priority of a Chakra trace runs first, then the smaller id", "[pure][training]") {
  Writer writer;
  for (int id = 1; id < 5; ++id) {
    Writer::Node node = collective(static_cast<std::uint64_t>(id), 0, 4096);
    if (id > 2) node.attributes.push_back(Writer::integer("comm_priority", id == 3 ? 9 : 4));
    writer.add(node);
  }
  const TaskGraph graph = read_graph_text(writer.bytes(), "FILE");
  CHECK(graph.comm_order == Order::priority);
  std::vector<std::pair<std::int32_t, std::string>> order;
  for (const Task& task : graph.tasks) order.emplace_back(task.priority, task.name);
  std::sort(order.begin(), order.end());
  CHECK(order[0].second == "coll3");
  CHECK(order[1].second == "coll4");
  CHECK(order[2].second == "coll1");
  CHECK(order[3].second == "coll2");
}

TEST_CASE("a process group that the Chakra trace does not list is rejected", "[pure][training]") {
  Writer::Node reduce = collective(5, 0, 1000);
  reduce.attributes.push_back(Writer::word("pg_name", "7"));
  CHECK_THAT(refused(Writer().add(reduce)),
             Equals("FILE: byte 8: node 5 'coll5': unknown process group '7': no node lists groups, and neither PREFIX.json "
                    "nor comm_group.json next to the trace does (legal: graph.groups=FILE)"));
  Writer::Node groups{1, "groups", 1};
  groups.input_values = R"(['[{"pg_name": "0", "ranks": []}]'])";
  CHECK_THAT(refused(Writer().add(reduce).add(groups)), Contains("node 5 'coll5': unknown process group '7'"));
}

TEST_CASE("Chakra traces whose nodes cannot be ordered are rejected with the nodes", "[pure][training]") {
  CHECK_THAT(refused(Writer().add({1, "a", 4}).add({1, "b", 4})),
             Equals("FILE: byte 16: node 1 'b': its id is also the id of node 1 'a' (legal: each id once)"));
  const TaskGraph absent = read_graph_text(Writer().add({1, "a", 4, 1, {2}}).bytes(), "FILE");
  CHECK(absent.tasks[0].after.empty());
  CHECK(absent.warnings ==
        std::vector<std::string>{"FILE: 1 dependencies on nodes that are missing in the trace are ignored"});
  CHECK_THAT(
      refused(Writer().add({1, "a", 4, 1}).add({3, "save", 8, 5, {1}})),
      Equals("FILE: byte 18: node 3 'save': a node of type 8, DATA_LOAD_NODE, is not simulated (legal: types 0 to 7)"));
  CHECK_THAT(refused(Writer().add({3, "next", 9})), Contains("node 3 'next': a node of type 9, BATCH_NODE, is not"));
  CHECK_THAT(refused(Writer().add({3, "save", 10})), Contains("node 3 'save': a node of type 10, CHECKPOINT_NODE, is not"));
  Writer cycle;
  cycle.add({1, "a", 4, 0, {3}}).add({2, "b", 4, 0, {1}}).add({3, "c", 4, 0, {2}}).add({4, "d", 4, 0, {3}});
  CHECK_THAT(refused(cycle),
             Equals("FILE: nodes wait for each other in a cycle: node 1 'a', which waits for node 3 'c', which waits for "
                    "node 2 'b', which waits for node 1 'a'"));
  CHECK_THAT(refused(Writer()), Equals("FILE: no nodes"));
  CHECK_THAT(refused(Writer().add({1, "a", 4, 2'000'000'000'000})),
             Contains("a duration of 2000000000000 us (legal: below 10^12 us)"));
}

TEST_CASE("a Chakra trace of a million nodes with forward references is read", "[pure][training]") {
  Writer writer;
  constexpr std::uint64_t count = 1'000'000;
  for (std::uint64_t id = count; id > 0; --id) {  // each node waits for a later one
    Writer::Node node{id, "n", 4, 1};
    if (id > 1) node.data.push_back(id - 1);
    writer.add(node);
  }
  const TaskGraph graph = read_graph_text(writer.bytes(), "FILE");
  REQUIRE(graph.tasks.size() == count);
  CHECK(graph.tasks[0].after.empty());
  CHECK(graph.tasks[count - 1].after == std::vector<TaskId>{count - 2});
}

}  // namespace tributary::test_chakra_graph
