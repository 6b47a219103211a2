#include <catch2/catch.hpp>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/graph_check.h"

namespace tributary::test_task_graph {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

Task compute(const std::string& name, std::vector<TaskId> after = {}, int rank = -1) {
  Task t;
  t.name = name, t.after = std::move(after), t.rank = rank, t.work = Work::of_time(1);
  return t;
}

Task allreduce(const std::string& name, std::uint64_t bytes, std::vector<TaskId> after = {}, int rank = -1) {
  Task t = compute(name, std::move(after), rank);
  t.kind = TaskKind::collective;
  t.transfer.collective = "allreduce", t.transfer.bytes = bytes;
  return t;
}

Task move(TaskKind kind, const std::string& name, int rank, int peer, std::uint64_t bytes = 64) {
  Task t = compute(name, {}, rank);
  t.kind = kind;
  t.transfer.peer = peer, t.transfer.bytes = bytes;
  return t;
}

std::string refusal(const TaskGraph& graph) {
  try {
    check(graph);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("task graph: a cycle is rejected with its tasks in order", "[pure]") {
  TaskGraph graph(2);
  graph.compute_order = Order::ready;
  graph.add(compute("a", {2}));
  graph.add(compute("b", {0}));
  graph.add(compute("c", {1}));
  CHECK(refusal(graph) ==
        "tasks wait for each other in a cycle: 'a' (task 0), which waits for 'c' (task 2), which waits for "
        "'b' (task 1), which waits for 'a' (task 0)");
  graph.tasks[0].after.clear();
  CHECK(refusal(graph) == "accepted");
}

TEST_CASE("task graph: a task that waits for one listed later on its queue is a cycle", "[pure]") {
  TaskGraph graph(1);
  graph.add(compute("early", {1}));
  graph.add(compute("late"));
  CHECK_THAT(refusal(graph), Contains("cycle") && Contains("'early' (task 0)") && Contains("'late' (task 1)"));
  graph.tasks[1].queue = 1;
  CHECK(refusal(graph) == "accepted");
}

TEST_CASE("task graph: collectives of a group in a different order on one rank are rejected by name", "[pure]") {
  TaskGraph graph(2);
  graph.add(allreduce("x", 100, {}, 0));
  graph.add(allreduce("y", 200, {}, 0));
  graph.add(allreduce("y of 1", 200, {}, 1));
  graph.add(allreduce("x of 1", 100, {}, 1));
  CHECK_THAT(refusal(graph), Contains("different order of collectives") && Contains("'x' (task 0)") &&
                                 Contains("'y of 1' (task 2)") && Contains("rank 0") && Contains("rank 1"));
  std::swap(graph.tasks[2], graph.tasks[3]);
  CHECK(refusal(graph) == "accepted");
  graph.tasks.pop_back();
  CHECK_THAT(refusal(graph), Contains("'y' (task 1) is on rank 0 and not on rank 1"));
}

TEST_CASE("task graph: collectives of two groups that wait for each other through queues are a cycle", "[pure]") {
  TaskGraph graph(2);
  const GroupId other = graph.add_group("again", {1, 0});
  Task a = allreduce("a", 64, {}, 0), b = allreduce("b", 64, {}, 0);
  b.group = other;
  graph.add(a), graph.add(b);
  a.rank = b.rank = 1;
  graph.add(b), graph.add(a);
  CHECK_THAT(refusal(graph), Contains("cycle") && Contains("'a'") && Contains("'b'"));
  graph.tasks[1].queue = graph.tasks[2].queue = 1;
  CHECK(refusal(graph) == "accepted");
}

TEST_CASE("task graph: sends and receives without counterpart are rejected by name", "[pure]") {
  TaskGraph graph(3);
  graph.add(move(TaskKind::send, "out", 0, 1));
  CHECK_THAT(refusal(graph), Contains("'out' (task 0) has no receive (from rank 0 to rank 1, tag 0)"));
  graph.add(move(TaskKind::receive, "in", 1, 0));
  CHECK(refusal(graph) == "accepted");
  graph.add(move(TaskKind::receive, "more", 1, 0));
  CHECK_THAT(refusal(graph), Contains("'more' (task 2) has no send"));
  graph.tasks[2].transfer.peer = 1;
  CHECK_THAT(refusal(graph), Contains("rank 1 cannot be its peer"));
  graph.tasks.pop_back();
  graph.tasks[1].transfer.bytes = 32;
  CHECK_THAT(refusal(graph), Contains("'out' (task 0) sends 64 B") && Contains("'in' (task 1) receives 32 B"));
}

TEST_CASE("task graph: a receive that delays its own send is a cycle over ranks", "[pure]") {
  TaskGraph graph(2);
  for (int rank : {0, 1}) {
    const TaskId in = graph.add(move(TaskKind::receive, "in " + std::to_string(rank), rank, 1 - rank));
    graph.add(move(TaskKind::send, "out " + std::to_string(rank), rank, 1 - rank));
    graph.tasks.back().after = {in};
  }
  CHECK_THAT(refusal(graph), Contains("cycle") && Contains("'in 0'") && Contains("'out 1'"));
}

TEST_CASE("task graph: operations on the same bytes must wait for each other", "[pure]") {
  TaskGraph graph(2);
  graph.add(allreduce("low", 128));
  graph.add(allreduce("high", 128));
  graph.tasks[0].transfer.buffer = BufferRange{0, 128};
  graph.tasks[1].transfer.buffer = BufferRange{64, 128};
  graph.tasks[1].queue = 1;
  CHECK_THAT(refusal(graph), Contains("'low' (task 0) and 'high' (task 1) use the same bytes of the buffer of group all"));
  graph.tasks[1].transfer.buffer = BufferRange{128, 128};
  CHECK(refusal(graph) == "accepted");
  graph.tasks[1].transfer.buffer = BufferRange{64, 128};
  graph.add(compute("between", {0}));
  graph.tasks[1].after = {2};
  CHECK(refusal(graph) == "accepted");
}

TEST_CASE("task graph: unknown names and numbers are rejected", "[pure]") {
  TaskGraph graph(4);
  CHECK_THROWS_WITH(graph.group_of("al"), Contains("unknown group 'al'") && Contains("all"));
  graph.add(allreduce("x", 64));
  graph.tasks[0].transfer.collective = "alreduce";
  CHECK_THAT(refusal(graph), Contains("'x' (task 0)") && Contains("alreduce") && Contains("allreduce"));
  graph.tasks[0].transfer.collective = "allreduce";
  graph.tasks[0].transfer.bytes = 0;
  CHECK_THAT(refusal(graph), Contains("moves no bytes"));
  graph.tasks[0].transfer.bytes = 4;
  graph.tasks[0].group = 7;
  CHECK_THAT(refusal(graph), Contains("unknown group 7"));
  graph.tasks[0].group = 0;
  graph.tasks[0].after = {9};
  CHECK_THAT(refusal(graph), Contains("task 9, does not exist"));
  graph.tasks[0].after.clear();
  graph.add(compute("apart", {}, 1)), graph.add(compute("alone", {1}, 2));
  CHECK_THAT(refusal(graph), Contains("'alone' (task 2) waits for 'apart' (task 1), which is on none of its ranks"));
  graph.tasks[2].rank = 4;
  CHECK_THAT(refusal(graph), Contains("rank 4 is not a member of its group all"));
  graph.tasks.pop_back();
  graph.add_group("far", {1, 4});
  CHECK_THAT(refusal(graph), Contains("group far: unknown rank 4 (legal: 0 to 3)"));
  graph.groups.back().ranks = {1, 1};
  CHECK_THAT(refusal(graph), Contains("group far lists rank 1 twice"));
}

}  // namespace tributary::test_task_graph
