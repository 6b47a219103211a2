// How operations of a run meet in time.
#include <catch2/catch.hpp>

#include "testbench/workload/training/operations_in_flight.h"

namespace tributary::test_operations_in_flight {
using namespace tributary::training;

namespace {

constexpr Tick us = 1'000'000;

Task compute(Tick time, int rank = -1) {
  Task task;
  task.work = Work::of_time(time);
  task.rank = rank;
  return task;
}

Task reduce(GroupId group, std::vector<TaskId> after, std::uint32_t queue = 0) {
  Task task;
  task.name = "sum";
  task.kind = TaskKind::collective;
  task.group = group;
  task.queue = queue;
  task.after = std::move(after);
  task.transfer.collective = "allreduce";
  task.transfer.bytes = 1024;
  return task;
}

OperationsInFlight seen(const TaskGraph& graph) {
  IdealOptions options;
  options.transfer = [](const Task&) { return TransferTime{5 * us, 0, 0}; };
  return operations_in_flight(graph, ideal_run(graph, options));
}

/// Two groups of two ranks, with compute of these times before a collective of each group.
TaskGraph two_groups(const std::vector<Tick>& times) {
  TaskGraph graph(4);
  const GroupId first = graph.add_group("a", {0, 1}), second = graph.add_group("b", {2, 3});
  for (int rank = 0; rank < 4; ++rank) graph.add(compute(times[static_cast<std::size_t>(rank)], rank));
  graph.add(reduce(first, {0, 1}));
  graph.add(reduce(second, {2, 3}));
  return graph;
}

}  // namespace

TEST_CASE("operations in flight: equal operations of groups are one, unless their ranks differ", "[pure]") {
  const OperationsInFlight equal = seen(two_groups({us, us, us, us}));
  CHECK(equal.side_by_side);
  CHECK_FALSE((equal.staggered || equal.at_once || equal.close));
  const OperationsInFlight groups = seen(two_groups({us, us, 2 * us, 2 * us}));
  CHECK(groups.at_once);
  CHECK_FALSE(groups.staggered);
  const OperationsInFlight ranks = seen(two_groups({us, 2 * us, us, 2 * us}));
  CHECK(ranks.staggered);
  CHECK(ranks.side_by_side);
  CHECK_FALSE(ranks.at_once);
}

TEST_CASE("operations in flight: an operation within 1 us after another is close", "[pure]") {
  for (const Tick pause : {us - 1, us}) {
    TaskGraph graph(2);
    graph.add(reduce(0, {}));
    graph.tasks.push_back(compute(pause));
    graph.tasks.back().after = {0};
    graph.add(reduce(0, {1}));
    const OperationsInFlight found = seen(graph);
    CHECK(found.close == (pause < us));
    CHECK_FALSE((found.staggered || found.at_once || found.side_by_side));
  }
}

TEST_CASE("operations in flight: operations of two queues meet, and a group of one rank moves nothing", "[pure]") {
  TaskGraph graph(2);
  graph.add(reduce(0, {}, 0));
  graph.add(reduce(0, {}, 1));
  CHECK(seen(graph).at_once);
  TaskGraph alone(2);
  const GroupId one = alone.add_group("one", {0});
  alone.add(reduce(0, {}, 0));
  alone.add(reduce(one, {}, 1));
  const OperationsInFlight found = seen(alone);
  CHECK_FALSE((found.staggered || found.at_once || found.side_by_side || found.close));
}

}  // namespace tributary::test_operations_in_flight
