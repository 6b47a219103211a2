// Task graphs of debug logs of NCCL.
#include <catch2/catch.hpp>

#include "testbench/test/harness/mutated_texts.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/read/read_graph.h"

namespace tributary::test_nccl_log {
using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

/// A call of the process with this number, which is also its device.
std::string call(int process, const std::string& function, int count, int type, const std::string& comm, int ranks,
                 const std::string& stream = "0x1") {
  return "node:" + std::to_string(100 + process) + ":7 [" + std::to_string(process) + "] NCCL INFO " + function +
         ": opCount 1f sendbuff 0x7f10 recvbuff 0x7f20 count " + std::to_string(count) + " datatype " +
         std::to_string(type) + " op 0 root 0 comm " + comm + " [nranks=" + std::to_string(ranks) + "] stream " + stream +
         "\n";
}

std::string member(int process, const std::string& comm, int rank, int ranks, const std::string& id) {
  return "node:" + std::to_string(100 + process) + ":9 [" + std::to_string(process) + "] NCCL INFO ncclCommInitRank comm " +
         comm + " rank " + std::to_string(rank) + " nranks " + std::to_string(ranks) +
         " cudaDev 0 nvmlDev 0 busId 1b000 commId " + id + " - Init COMPLETE\n";
}

std::string refusal(const std::string& log) {
  try {
    read_graph_text(log, "FILE");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a log of one NCCL process represents all ranks", "[pure][training]") {
  const TaskGraph graph = read_graph_text(
      "some output of the script\n" + call(0, "AllReduce", 33554432, 7, "0xa", 8) +
          "node:100:7 [0] NCCL INFO Channel 00 : 0 1 2\n" + call(0, "AllGather", 2097152, 6, "0xb", 2, "0x2") +
          call(0, "ReduceScatter", 100, 9, "0xa", 8) + call(0, "Broadcast", 64, 3, "0xa", 8),
      "FILE");
  CHECK_NOTHROW(check(graph));
  CHECK(graph.ranks == 8);
  REQUIRE(graph.tasks.size() == 1 + 4 + 1 + 1);
  CHECK(graph.tasks[0].transfer.collective == "allreduce");
  CHECK(graph.tasks[0].transfer.bytes == 33554432ull * 4);
  CHECK(graph.tasks[0].group == 0);
  CHECK(graph.tasks[0].queue == 0);
  CHECK(graph.tasks[1].transfer.collective == "allgather");
  CHECK(graph.tasks[1].transfer.bytes == 2097152ull * 2 * 2);  // elements of one rank, two ranks, two bytes
  CHECK(graph.tasks[1].transfer.type == ElementType::f16);
  CHECK(graph.tasks[1].queue == 1);
  CHECK(graph.groups[graph.tasks[4].group].ranks == std::vector<int>{6, 7});
  CHECK(graph.tasks[5].transfer.collective == "reduce_scatter");
  CHECK(graph.tasks[5].transfer.bytes == 100 * 8 * 2);
  CHECK(graph.tasks[6].transfer.collective == "broadcast");
  CHECK(graph.tasks[6].transfer.bytes == 64 * 4);
  REQUIRE(graph.warnings.size() == 2);
  CHECK_THAT(graph.warnings[0], Contains("FILE: node:100 [0] represents all 8 ranks"));
  CHECK_THAT(graph.warnings[1], Contains("communicators of 2 ranks are assumed to have consecutive ranks"));
}

TEST_CASE("a log of all NCCL processes with their communicators gives each rank its own calls", "[pure][training]") {
  // Processes in another order than ranks; pairs of ranks 0, 2 and 1, 3.
  const std::vector<int> rank{2, 0, 3, 1};
  std::string log;
  for (int p = 0; p < 4; ++p) {
    const int r = rank[static_cast<std::size_t>(p)];
    log += member(p, "0xa" + std::to_string(p), r, 4, "0xworld");
    log += member(p, "0xb" + std::to_string(p), r / 2, 2, r % 2 == 0 ? "0xeven" : "0xodd");
    log += call(p, "AllReduce", 256, 7, "0xb" + std::to_string(p), 2);
    log += call(p, "AllReduce", 1024, 7, "0xa" + std::to_string(p), 4);
  }
  const TaskGraph graph = read_graph_text(log, "FILE");
  CHECK_NOTHROW(check(graph));
  CHECK(graph.warnings.empty());
  REQUIRE(graph.tasks.size() == 8);
  for (const Task& task : graph.tasks) {
    const auto& ranks = graph.groups[task.group].ranks;
    if (task.transfer.bytes == 4096)
      CHECK(task.group == 0);
    else
      CHECK(ranks == (task.rank % 2 == 0 ? std::vector<int>{0, 2} : std::vector<int>{1, 3}));
  }
  // Without the messages of INIT the first process represents all.
  const TaskGraph one =
      read_graph_text(call(0, "AllReduce", 1024, 7, "0xa0", 2) + call(1, "AllReduce", 1024, 7, "0xa1", 2), "FILE");
  CHECK(one.tasks.size() == 1);
  REQUIRE(one.warnings.size() == 1);
  CHECK_THAT(one.warnings[0],
             Contains("the log lacks the ranks of its 2 processes: the first, node:100 [0], represents all"));
}

TEST_CASE("sends and receives of an NCCL log join the ranks of both ends", "[pure][training]") {
  // Processes 0 and 1 are ranks 1 and 0; the log has the peer of a send as its root.
  std::string log = member(0, "0xa", 1, 2, "0xworld") + member(1, "0xb", 0, 2, "0xworld");
  std::string to_rank_1 = call(1, "Send", 256, 7, "0xb", 2), from_rank_0 = call(0, "Recv", 256, 7, "0xa", 2);
  to_rank_1.replace(to_rank_1.find("root 0"), 6, "root 1");
  const TaskGraph graph = read_graph_text(log + to_rank_1 + from_rank_0, "FILE");
  CHECK_NOTHROW(check(graph));
  REQUIRE(graph.tasks.size() == 2);
  const Task& receive = graph.tasks[1].kind == TaskKind::receive ? graph.tasks[1] : graph.tasks[0];
  const Task& send = graph.tasks[1].kind == TaskKind::receive ? graph.tasks[0] : graph.tasks[1];
  CHECK(send.kind == TaskKind::send);
  CHECK(send.rank == 0);
  CHECK(send.transfer.peer == 1);
  CHECK(send.transfer.bytes == 1024);
  CHECK(receive.rank == 1);
  CHECK(receive.transfer.peer == 0);
}

TEST_CASE("broken lines of an NCCL log are counted and left out", "[pure][training]") {
  const std::string whole = call(0, "AllReduce", 8, 7, "0xa", 2);
  std::string cut = whole;
  cut.replace(cut.find("datatype"), 8, "dat node");
  const std::string two = whole.substr(0, whole.size() / 2) + whole;
  const TaskGraph graph = read_graph_text(whole + cut + whole + two, "FILE");
  CHECK(graph.tasks.size() == 2);
  REQUIRE(graph.warnings.size() == 2);
  CHECK_THAT(graph.warnings[0], Contains("FILE: 2 lines are broken and left out, the first: FILE:2: a collective without "
                                         "'datatype'"));
  CHECK_THAT(refusal(two), Contains("FILE:1: two messages in one line"));
}

TEST_CASE("ranks of a log without commId are those of the communicator of all ranks", "[pure][training]") {
  std::string log;
  for (int p = 0; p < 2; ++p) {
    const std::string comm = "0xa" + std::to_string(p);
    log += "node:" + std::to_string(100 + p) + ":9 [" + std::to_string(p) + "] NCCL INFO comm " + comm + " rank " +
           std::to_string(1 - p) + " nranks 2 cudaDev 0 busId 1b000 - Init COMPLETE\n";
    log += call(p, "Broadcast", 1024, 7, comm, 2);
  }
  const TaskGraph graph = read_graph_text(log, "FILE");
  CHECK(graph.warnings.empty());
  REQUIRE(graph.tasks.size() == 2);
  CHECK(graph.tasks[0].rank == 1);
  CHECK(graph.tasks[1].rank == 0);
  CHECK(graph.tasks[1].group == 0);
}

TEST_CASE("calls of one rank in an NCCL log are counted and left out", "[pure][training]") {
  const std::string alone = call(0, "AllReduce", 1024, 7, "0xc", 1);
  const TaskGraph graph = read_graph_text(alone + call(0, "AllReduce", 1024, 7, "0xa", 4) + alone, "FILE");
  CHECK(graph.tasks.size() == 1);
  REQUIRE(graph.warnings.size() == 2);
  CHECK_THAT(graph.warnings[0], Contains("FILE: skipped, since they move no data: 2 of one rank"));
  CHECK_THAT(refusal(alone), Contains("FILE: all collectives have one rank (legal: a log of a run on several ranks)"));
}

TEST_CASE("types of NCCL have the bytes of nccl.h", "[pure][training]") {
  // ncclDataType_t: int8, uint8, int32, uint32, int64, uint64, half, float, double, bfloat16, and two of 8 bits.
  const std::vector<std::uint64_t> bytes{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  const auto simulated = [](int type) { return type == 2 || type == 3 || type == 6 || type == 7 || type == 9; };
  for (int type = 0; type < 12; ++type) {
    const TaskGraph graph = read_graph_text(call(0, "AllReduce", 64, type, "0xa", 2), "FILE");
    CHECK(graph.tasks.at(0).transfer.bytes == 64 * bytes[static_cast<std::size_t>(type)]);
    CHECK(graph.warnings.size() == (simulated(type) ? 1 : 2));
    if (!simulated(type)) CHECK(graph.tasks.at(0).transfer.type == ElementType::i32);
    if (!simulated(type)) CHECK_THAT(graph.warnings.at(1), Contains("i32 of as many bytes replaces it"));
  }
  CHECK(read_graph_text(call(0, "AllReduce", 64, 9, "0xa", 2), "FILE").tasks.at(0).transfer.type == ElementType::bf16);
}

TEST_CASE("processes that make other calls than the first are named", "[pure][training]") {
  const TaskGraph graph =
      read_graph_text(call(0, "AllReduce", 8, 7, "0xa", 2) + call(1, "AllReduce", 16, 7, "0xa", 2), "FILE");
  REQUIRE(graph.warnings.size() == 1);
  CHECK_THAT(graph.warnings[0], Contains("; node:101 [1] makes other calls"));
}

TEST_CASE("the small garbled log has three whole calls, and two broken lines", "[pure][training]") {
  const TaskGraph graph = read_graph(TRIBUTARY_SOURCE_DIR "/testbench/workload/data/traces/nccl_coll_garbled.log");
  CHECK_NOTHROW(check(graph));
  REQUIRE(graph.tasks.size() == 3);
  CHECK(graph.tasks[0].transfer.bytes == 4000);
  CHECK(graph.tasks[1].transfer.collective == "reduce_scatter");
  CHECK(graph.tasks[1].transfer.bytes == 256 * 8 * 2);
  CHECK(graph.tasks[2].transfer.collective == "broadcast");
  CHECK(graph.tasks[2].transfer.bytes == 64);
  CHECK(graph.tasks[2].transfer.root == 1);
  REQUIRE(graph.warnings.size() == 3);
  CHECK_THAT(graph.warnings[0], Contains("nccl_coll_garbled.log: 2 lines are broken and left out, the first: "));
  CHECK_THAT(graph.warnings[0], Contains("nccl_coll_garbled.log:3: two messages in one line"));
  CHECK_THAT(graph.warnings[1], Contains("node7:100 [0] represents all 2 ranks"));
  CHECK_THAT(graph.warnings[2], Contains("2 transfers have an element type that is not simulated"));
}

TEST_CASE("mutated logs of NCCL are read or rejected quickly", "[pure][training]") {
  std::string ranks;
  for (int p = 0; p < 2; ++p)
    ranks +=
        member(p, "0xa" + std::to_string(p), p, 2, "0xworld") + call(p, "AllGather", 8, 7, "0xa" + std::to_string(p), 2);
  const std::string one = call(0, "AllReduce", 64, 7, "0xa", 4) + call(0, "Broadcast", 8, 1, "0xb", 2);
  const auto read = [](const std::string& text) { read_graph_text(text, "FILE"); };
  CHECK(
      fuzzed<InputError>({{ranks, one, ranks},
                          {" NCCL INFO ", "opCount", "Send:", "Recv:", "[nranks=", "datatype 8", "rank 1", "commId", "\n"}},
                         44, mutations(20'000), "FILE:", read, 4000) == "");
}

TEST_CASE("calls of an NCCL log that cannot be carried out are named", "[pure][training]") {
  CHECK_THAT(refusal(call(0, "AllReduce", 8, 7, "0xa", 2) + call(0, "Scatter", 8, 7, "0xa", 2)),
             Contains("FILE:2: 'Scatter' is not simulated from a log (legal: AllReduce, Reduce,"));
  CHECK_THAT(refusal(call(0, "AllReduce", 8, 7, "0xa", 2) + call(0, "Send", 8, 7, "0xa", 2)),
             Contains("FILE:2: 'Send' of one process, which represents all: both ends are needed"));
  CHECK_THAT(refusal(call(0, "AllReduce", 8, 12, "0xa", 2)), Contains("FILE:1: datatype 12 (legal: 0 to 11)"));
  CHECK_THAT(refusal(call(0, "AllReduce", 8, 7, "0xa", 3) + call(0, "AllReduce", 8, 7, "0xb", 2)),
             Contains("FILE:2: a communicator of 2 of 3 ranks"));
  CHECK_THAT(
      refusal("node:1:1 [0] NCCL INFO AllReduce: opCount 0 count x datatype 7 op 0 root 0 comm 0xa [nranks=2] stream 0x1\n"),
      Contains("FILE:1: count is 'x'"));
  CHECK_THAT(refusal("node:1:1 [0] NCCL INFO AllReduce: opCount 0 count 1 datatype 7 root 0 comm 0xa stream 0x1\n"),
             Contains("FILE:1: a collective without 'nranks'"));
  CHECK_THAT(refusal("node:1:1 [0] NCCL INFO Bootstrap : Using eth0\n"), Contains("FILE: no collectives (legal: "));
  const TaskGraph bytes = read_graph_text(call(0, "AllReduce", 3, 1, "0xa", 2), "FILE");
  CHECK(bytes.tasks.at(0).transfer.bytes == 4);  // three bytes, in whole elements
  CHECK_THAT(bytes.warnings.at(1), Contains("1 transfers have an element type that is not simulated"));
}

}  // namespace tributary::test_nccl_log
