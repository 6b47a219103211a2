// Task graphs of ASTRA-sim text workloads, and files that are not graphs.
#include <catch2/catch.hpp>
#include <set>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/read/read_graph.h"

namespace tributary::test_text_graph {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

ReadOptions four_ranks() {
  ReadOptions options;
  options.ranks = 4;
  return options;
}

template <class Run>
std::string refusal(Run run) {
  try {
    run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// Names of a task's predecessors.
std::multiset<std::string> before(const TaskGraph& graph, const std::string& name) {
  for (const Task& task : graph.tasks)
    if (task.name == name) {
      std::multiset<std::string> names;
      for (const TaskId id : task.after) names.insert(graph.tasks.at(id).name);
      return names;
    }
  FAIL("no task " << name);
  return {};
}

using Names = std::multiset<std::string>;

}  // namespace

TEST_CASE("a data-parallel text workload becomes a graph", "[pure][training]") {
  ReadOptions options;
  options.ranks = 4;
  options.iterations = 2;
  const TaskGraph graph = read_graph_text(
      "DATA\n2\nA -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 400 5\nB -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 800 0\n", "FILE", options);
  CHECK(graph.ranks == 4);
  CHECK(graph.iterations == 2);
  CHECK(graph.layers == std::vector<std::string>{"A", "B"});
  std::vector<std::string> names;
  for (const Task& task : graph.tasks)
    if (task.iteration == 0) names.push_back(task.name);
  // Nothing needs the first row's input gradient; a row without update time has no update.
  CHECK(names ==
        std::vector<std::string>{"fwd A", "fwd B", "wg B", "allreduce B", "ig B", "wg A", "allreduce A", "update A"});
  REQUIRE(graph.tasks.size() == 16);
  CHECK(graph.tasks[2].work.time == 30'000);  // 30 units of 1 ns
  CHECK(graph.tasks[3].after == std::vector<TaskId>{2});
  CHECK(graph.tasks[4].after == std::vector<TaskId>{2});  // does not wait for the collective
  CHECK(graph.tasks[7].kind == TaskKind::mark);
  CHECK(graph.tasks[7].delay == 5'000);
  CHECK(graph.tasks[8].after == std::vector<TaskId>{5, 7});  // forward A waits for the previous compute and its own update
  CHECK(graph.tasks[9].after == std::vector<TaskId>{3, 8});
}

TEST_CASE("text workloads of hybrid kinds have groups, and passes that wait for activations", "[pure][training]") {
  ReadOptions options;
  options.ranks = 4;
  options.model_group = 2;
  const std::string rows =
      "2\nA -1 1 ALLGATHER 100 2 ALLREDUCE 200 3 ALLREDUCE 400 0\nB -1 1 ALLREDUCE 100 2 ALLREDUCE 200 3 ALLREDUCE 400 0\n";
  const TaskGraph near = read_graph_text("HYBRID_DATA_MODEL\n" + rows, "FILE", options);
  REQUIRE(near.groups.size() == 5);
  CHECK(near.groups[1].name == "mp0");
  CHECK(near.groups[1].ranks == std::vector<int>{0, 1});
  CHECK(near.groups[3].name == "dp0");
  CHECK(near.groups[3].ranks == std::vector<int>{0, 2});
  CHECK(before(near, "fwd B") == Names{"fwd A", "allgather A", "allgather A"});
  CHECK(before(near, "wg B") == Names{"ig B"});
  CHECK(before(near, "ig A") ==
        Names{"wg B", "allreduce B", "allreduce B"});  // the collectives of the input gradient in both groups
  CHECK(near.tasks[1].transfer.bytes == 200);          // both ranks of a group together
  const TaskGraph far = read_graph_text("HYBRID_MODEL_DATA\n" + rows, "FILE", options);
  CHECK(far.groups[1].ranks == std::vector<int>{0, 2});
  CHECK(far.groups[3].ranks == std::vector<int>{0, 1});
  const TaskGraph transformer =
      read_graph_text("HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n" + rows, "FILE", four_ranks());
  CHECK(transformer.groups.size() == 2);  // no other rank has the same weights
  CHECK(before(transformer, "wg B") == Names{"ig B", "allreduce B"});
  const TaskGraph model = read_graph_text("MODEL\n" + rows, "FILE", four_ranks());
  CHECK(model.groups.size() == 1);
  CHECK(model.tasks.size() == 2 * 2 + 2 * 2 + 1);  // no collective of the first row's input gradient, none of weights
  CHECK_THAT(refusal([&] { read_graph_text("HYBRID_DATA_MODEL\n" + rows, "FILE", four_ranks()); }),
             Contains("FILE:1: unknown number of ranks that share a model"));
  options.model_group = 3;
  CHECK_THAT(refusal([&] { read_graph_text("HYBRID_DATA_MODEL\n" + rows, "FILE", options); }),
             Contains("FILE:1: 3 ranks share a model (legal: graph.model_group, a divisor of the 4 ranks)"));
}

TEST_CASE("a text workload of a recommendation network overlaps its exchanges", "[pure][training]") {
  const TaskGraph graph = read_graph_text(
      "HYBRID_DLRM 1\n3\nEmb -1 1 ALLTOALL 100 1 ALLTOALL 100 1 NONE 0 1\nBot -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 0\n"
      "Top -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 0\n",
      "FILE", four_ranks());
  CHECK(before(graph, "fwd Bot") == Names{"fwd Emb"});
  CHECK(before(graph, "fwd Top") == Names{"alltoall Emb", "fwd Bot"});
  CHECK(before(graph, "wg Bot") == Names{"ig Top"});
  CHECK(before(graph, "wg Emb") == Names{"alltoall Emb", "ig Bot"});
}

TEST_CASE("text workloads may repeat forward passes, or have only collectives", "[pure][training]") {
  const std::string row = " -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 0\n";
  ReadOptions options = four_ranks();
  options.model_group = 2;
  const TaskGraph graph = read_graph_text(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD checkpoints: 1 0 checkpoint_initiates: 1 2\n3\nA" + row + "B" + row + "C" + row,
      "FILE", options);
  std::vector<std::string> computed;
  for (const Task& task : graph.tasks)
    if (task.kind == TaskKind::compute) computed.push_back(task.name);
  CHECK(computed == std::vector<std::string>{"fwd A", "fwd B", "fwd C", "fwd A", "fwd B", "ig C", "wg C", "ig B", "wg B",
                                             "ig A", "wg A"});
  const TaskGraph micro =
      read_graph_text("MICRO\n1\nconv1 -1 5 NONE 0 5 NONE 0 5  ALLTOALL 1048576 5\n", "FILE", four_ranks());
  REQUIRE(micro.tasks.size() == 2);
  CHECK(micro.tasks[0].transfer.bytes == 1048576);
  CHECK(micro.tasks[0].after.empty());
}

namespace {

using Ranks = std::vector<std::vector<int>>;

/// Returns the ranks of the collectives of this name, and their bytes.
std::pair<Ranks, std::set<std::uint64_t>> collectives(const TaskGraph& graph, const std::string& name) {
  Ranks ranks;
  std::set<std::uint64_t> bytes;
  for (const Task& task : graph.tasks)
    if (task.name == name) ranks.push_back(graph.groups[task.group].ranks), bytes.insert(task.transfer.bytes);
  return {ranks, bytes};
}

}  // namespace

TEST_CASE("a workload of SimAI has groups of tensor, expert and data parallel ranks", "[pure][training]") {
  const std::string rows =
      "3\na -1 1 ALLGATHER 64 1 NONE 0 1 ALLREDUCE 256 1\nb -1 1 ALLTOALL_EP 128 1 NONE 0 1 NONE 0 1\n"
      "c -1 1 NONE 0 1 NONE 0 1 ALLGATHER_DP_EP 512 1\n";
  const std::string kind = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: ";
  ReadOptions options;
  options.ranks = 8;
  const TaskGraph graph = read_graph_text(kind + "1 vpp: 1 ga: 1 all_gpus: 8\n" + rows, "FILE", options);
  CHECK(graph.warnings.empty());
  // An all-gather of SimAI counts the data of all ranks.
  CHECK(collectives(graph, "allgather a") ==
        std::make_pair(Ranks{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, std::set<std::uint64_t>{64}));
  CHECK(collectives(graph, "allreduce a") ==
        std::make_pair(Ranks{{0, 2, 4, 6}, {1, 3, 5, 7}}, std::set<std::uint64_t>{256}));
  CHECK(collectives(graph, "alltoall b") ==
        std::make_pair(Ranks{{0, 2}, {1, 3}, {4, 6}, {5, 7}}, std::set<std::uint64_t>{128}));
  CHECK(collectives(graph, "allgather c") ==
        std::make_pair(Ranks{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, std::set<std::uint64_t>{512}));

  // The ranks of both stages of a pipeline; groups lie within a stage.
  const TaskGraph both = read_graph_text(kind + "2 all_gpus: 8 pp_comm: 99\n" + rows, "FILE", options);
  REQUIRE(both.warnings.size() == 1);
  CHECK_THAT(both.warnings[0], Contains("FILE: pp: 2: each rank carries out the rows of one stage"));
  CHECK(collectives(both, "allreduce a").first == Ranks{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  CHECK(collectives(both, "alltoall b").first == Ranks{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  CHECK(collectives(both, "allgather c").first.empty());  // one set of experts

  // Keys in another order; bytes between stages of a pipeline without stages; a broadcast.
  const TaskGraph odd = read_graph_text(
      "HYBRID_TRANSFORMER pp_comm: 7 all_gpus: 8 ga: 4 pp: 1 ep: 1 model_parallel_NPU_group: 2\n1\na -1 1 BROADCAST 64 1 "
      "NONE "
      "0 1 NONE 0 1\n",
      "FILE", options);
  CHECK(collectives(odd, "broadcast a") ==
        std::make_pair(Ranks{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, std::set<std::uint64_t>{64}));
  REQUIRE(odd.warnings.size() == 2);
  CHECK_THAT(odd.warnings[0], Contains("FILE: pp_comm: 7 B between stages, but there is one stage"));
  CHECK_THAT(odd.warnings[1], Contains("FILE: row 'a': BROADCAST is simulated; SimAI moves no bytes for it"));

  const TaskGraph fewer = read_graph_text(kind + "12 all_gpus: 9216\n" + rows, "FILE", options);
  REQUIRE(fewer.warnings.size() == 3);
  CHECK_THAT(fewer.warnings[1], Contains("FILE: pp: 12, but no pp_comm"));
  CHECK_THAT(fewer.warnings[2], Contains("all_gpus: 9216, so 768 in a stage, but the run has 8 ranks"));
  options.ranks = 6;
  CHECK_THAT(refusal([&] { read_graph_text(kind + "1\n" + rows, "FILE", options); }),
             Contains("FILE:1: ep: 2 replicas share experts (legal: a divisor of the 3 replicas)"));
  options.ranks = 8;
  for (const std::string first : {"HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n", "DATA ep: 2\n"})
    CHECK_THAT(refusal([&] { read_graph_text(first + rows, "FILE", options); }),
               Contains("FILE:4: row 'b' has a collective of _EP, but line 1 has no experts"));
  CHECK_THAT(refusal([&] { read_graph_text("DATA_REORDER\n" + rows, "FILE", options); }),
             Contains("FILE:1: 'DATA_REORDER' is not a kind of parallelism (legal: DATA, MODEL,"));
}

TEST_CASE("the small traces of SimAI have stages, a broadcast, and too few rows", "[pure][training]") {
  const std::string folder = TRIBUTARY_SOURCE_DIR "/testbench/workload/data/traces/";
  ReadOptions options;
  options.ranks = 8;
  const TaskGraph graph = read_graph(folder + "simai_pp.txt", options);
  CHECK_NOTHROW(check(graph));
  const Ranks tensor{{0, 1}, {2, 3}, {4, 5}, {6, 7}}, replicas{{0, 2}, {1, 3}, {4, 6}, {5, 7}};
  CHECK(collectives(graph, "broadcast embedding") == std::make_pair(tensor, std::set<std::uint64_t>{4096}));
  CHECK(collectives(graph, "allgather mlp") == std::make_pair(tensor, std::set<std::uint64_t>{131072}));
  CHECK(collectives(graph, "reduce_scatter mlp") == std::make_pair(tensor, std::set<std::uint64_t>{131072}));
  CHECK(collectives(graph, "allreduce embedding") == std::make_pair(replicas, std::set<std::uint64_t>{65536}));
  CHECK(graph.tasks.front().work.time == 20'000);  // 20 cycles of 1 ns
  REQUIRE(graph.warnings.size() == 2);
  CHECK_THAT(graph.warnings[0], Contains("simai_pp.txt: pp: 2: each rank carries out the rows of one stage"));
  CHECK_THAT(graph.warnings[1], Contains("simai_pp.txt: row 'embedding': BROADCAST is simulated"));
  CHECK_THAT(refusal([&] { read_graph(folder + "simai_short.txt", options); }),
             Contains("simai_short.txt:4: 2 rows, but line 2 says 839"));
  const std::string rows = "1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
                    kind = "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 ";
  const auto warnings = [&](const std::string& keys) {
    return read_graph_text(kind + keys + rows, "FILE", options).warnings;
  };
  CHECK(warnings("pp: 1 vpp: 1 ga: 8 all_gpus: 8 pp_comm: 0\n").empty());
  CHECK(warnings("pp: 1 all_gpus: 8 pp_comm 0.0\n").empty());
  REQUIRE(warnings("pp: 2 all_gpus: 8 pp_comm: 0\n").size() == 2);
  CHECK_THAT(warnings("pp: 2 all_gpus: 8\n")[1], Contains("FILE: pp: 2, but no pp_comm: "));
  CHECK_THAT(refusal([&] { warnings("pp_comm: 8.5\n"); }), Contains("FILE:1: pp_comm: is '8.5' (legal: a whole number"));
}

TEST_CASE("files that are not graphs are rejected", "[pure][training]") {
  for (const char* text : {"hello\n", "platform: dgx2\n", "<xml/>"})
    CHECK_THAT(refusal([&] { read_graph_text(text, "FILE"); }), Contains("FILE: neither a training graph (YAML"));
  CHECK_THAT(refusal([&] { read_graph_text("", "FILE"); }), Contains("FILE: empty; neither"));
}

}  // namespace tributary::test_text_graph
