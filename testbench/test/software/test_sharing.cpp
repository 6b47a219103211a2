// Rules by which operations in flight share ranks and links.
#include <catch2/catch.hpp>

#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/operations_in_flight.h"

namespace tributary::test_sharing {
using namespace tributary::training;

namespace {

Task reduce(std::uint64_t bytes, std::uint32_t queue) {
  Task task;
  task.kind = TaskKind::collective;
  task.queue = queue;
  task.transfer.collective = "allreduce";
  task.transfer.bytes = bytes;
  return task;
}

/// Two operations on two queues of the same ranks; an operation alone lasts its bytes in ps.
TaskGraph two_operations(std::uint64_t first, std::uint64_t second) {
  TaskGraph graph(2);
  graph.add(reduce(first, 0));
  graph.add(reduce(second, 1));
  return graph;
}

IdealRun run(const TaskGraph& graph, Sharing sharing) {
  IdealOptions options;
  options.sharing = sharing;
  options.transfer = [](const Task& task) { return TransferTime{task.transfer.bytes, 0, 0}; };
  return ideal_run(graph, options);
}

Tick end_of(const IdealRun& run, TaskId task) { return run.spans[*run.instances.at(task, 0)].end; }

}  // namespace

TEST_CASE("sharing: operations of the same ranks share the time, pass each other, or wait", "[pure]") {
  const TaskGraph graph = two_operations(5000, 3000);
  const IdealRun fair = run(graph, Sharing::fair), none = run(graph, Sharing::none), turn = run(graph, Sharing::in_turn);
  CHECK(end_of(fair, 1) == 6000);  // each at half speed
  CHECK(end_of(fair, 0) == 8000);
  CHECK(end_of(none, 1) == 3000);
  CHECK(end_of(none, 0) == 5000);
  CHECK(end_of(turn, 0) == 5000);
  CHECK(end_of(turn, 1) == 8000);
  CHECK(fair.slowed);
  CHECK_FALSE(none.slowed);
  CHECK(turn.slowed);
  // The first operation was to end at 10000 while it had half of the speed: that event is no part of the run.
  CHECK(fair.end == 8000);
}

TEST_CASE("sharing: groups that begin at once are served by queue, not by the order of their ranks", "[pure]") {
  TaskGraph graph(4);
  const std::vector<GroupId> rows{graph.add_group("row0", {0, 1}), graph.add_group("row1", {2, 3})};
  const std::vector<GroupId> columns{graph.add_group("column0", {0, 2}), graph.add_group("column1", {1, 3})};
  for (const GroupId row : rows) graph.add(reduce(5000, 0)), graph.tasks.back().group = row;
  for (const GroupId column : columns) graph.add(reduce(3000, 1)), graph.tasks.back().group = column;
  const IdealRun turn = run(graph, Sharing::in_turn);
  // Column 0 begins before row 1, whose rank 3 is the last to arrive. All rows precede all columns nevertheless.
  CHECK(turn.spans[*turn.instances.at(0, 0)].end == 5000);
  CHECK(turn.spans[*turn.instances.at(1, 2)].end == 5000);
  CHECK(turn.spans[*turn.instances.at(2, 0)].end == 8000);
  CHECK(turn.spans[*turn.instances.at(3, 1)].end == 8000);
}

TEST_CASE("sharing: operations wait only for those with which they share a rank or more than a link carries", "[pure]") {
  TaskGraph graph(4);
  const GroupId a = graph.add_group("a", {0, 1}), b = graph.add_group("b", {2, 3});
  graph.add(reduce(5000, 0));
  graph.add(reduce(3000, 0));
  graph.tasks[0].group = a, graph.tasks[1].group = b;
  for (const auto& [share, end] : {std::make_pair(0.5, Tick{3000}), std::make_pair(0.6, Tick{8000})}) {
    const std::vector<LinkLoad> loads{{0, share}};
    IdealOptions options;
    options.sharing = Sharing::in_turn;
    options.links = 1;
    options.transfer = [&](const Task& task) { return TransferTime{task.transfer.bytes, 0, 0, &loads}; };
    const IdealRun turn = ideal_run(graph, options);
    CHECK(turn.spans[*turn.instances.at(1, 2)].end == end);
  }
}

TEST_CASE("sharing: operations of several queues, groups or sends may meet", "[pure]") {
  CHECK(may_meet(two_operations(5, 3)));
  TaskGraph one(2);
  one.add(reduce(5, 0));
  one.add(reduce(3, 0));
  CHECK_FALSE(may_meet(one));
  one.issue = Issue::pipelined;
  CHECK(may_meet(one));
  TaskGraph groups(4);
  groups.add(reduce(5, 0));
  groups.add(reduce(5, 0));
  groups.tasks[1].group = groups.add_group("a", {0, 1});
  CHECK(may_meet(groups));
  groups.tasks[1].group = groups.add_group("alone", {0});
  CHECK_FALSE(may_meet(groups));  // a group of one rank moves nothing
  TaskGraph send(2);
  send.tasks.push_back(reduce(4, 0));
  send.tasks[0].kind = TaskKind::send;
  CHECK(may_meet(send));
}

}  // namespace tributary::test_sharing
