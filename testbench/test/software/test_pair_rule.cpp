// Speeds of transfers that are in flight at once, from measurements of two together.
#include <catch2/catch.hpp>

#include "testbench/run/training/pair_process.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/pair_rule.h"
#include "testbench/workload/training/transfer_sharing.h"

namespace tributary::test_pair_rule {

using namespace tributary::training;

namespace {

/// Knows the speeds of one pair by the sizes of its transfers.
class OnePair : public PairRule {
 public:
  std::optional<double> speed(const training::Task& own, const training::Task& other) override {
    if (own.transfer.bytes == 1000 && other.transfer.bytes == 4000) return 0.25;
    if (own.transfer.bytes == 4000 && other.transfer.bytes == 1000) return 0.75;
    return std::nullopt;
  }
};

training::Task transfer(std::uint64_t bytes, std::uint32_t queue) {
  training::Task task;
  task.kind = TaskKind::collective;
  task.queue = queue;
  task.transfer.collective = "allreduce";
  task.transfer.bytes = bytes;
  return task;
}

}  // namespace

TEST_CASE("two transfers that begin together have the speeds of their common time", "[pure][training]") {
  // 100 and 300 alone. Together the first ends at 200, so it has half its speed. The second ends at 400: 200 of its 300
  // follow the end of the first, and the other 100 took 200.
  const PairSpeeds speeds = pair_speeds({100, 300, 0, 200, 400});
  CHECK(speeds.first == 0.5);
  CHECK(speeds.second == 0.5);
  const PairSpeeds swapped = pair_speeds({300, 100, 0, 400, 200});
  CHECK(swapped.first == 0.5);
  CHECK(swapped.second == 0.5);
  // One that waits for the other has no progress, but never a speed of 0; none is faster than alone.
  CHECK(pair_speeds({100, 300, 0, 100, 400}).first == 1);
  CHECK(pair_speeds({100, 300, 0, 100, 400}).second == 1e-3);
  CHECK(pair_speeds({100, 300, 0, 90, 280}).first == 1);
}

TEST_CASE("a transfer that begins later shares from then on", "[pure][training]") {
  // 300 and 100 alone. The second begins at 100 and ends at 300, so it has half its speed. The first has 100 before and
  // 100 after that, so 100 of its 300 took 200.
  const PairSpeeds speeds = pair_speeds({300, 100, 100, 400, 300});
  CHECK(speeds.first == 0.5);
  CHECK(speeds.second == 0.5);
  // The second waits until the first ends at 300, and then needs its 100.
  const PairSpeeds waits = pair_speeds({300, 100, 100, 300, 400});
  CHECK(waits.first == 1);
  CHECK(waits.second == 1e-3);
  // They never meet.
  const PairSpeeds apart = pair_speeds({100, 100, 150, 100, 250});
  CHECK(apart.first == 1);
  CHECK(apart.second == 1);
}

TEST_CASE("delays of several transfers add up", "[pure][training]") {
  CHECK(speed_among(std::vector<double>{}) == 1);
  CHECK(speed_among(std::vector<double>{0.5}) == 0.5);
  CHECK(speed_among(std::vector<double>{0.5, 0.5}) == Approx(1.0 / 3));  // three equal transfers of one link
  CHECK(speed_among(std::vector<double>{1, 0.25}) == 0.25);
}

TEST_CASE("measured pairs replace fair shares where all that meet are known", "[pure][training]") {
  OnePair pairs;
  TransferSharing sharing(2, 0, Sharing::fair, &pairs);
  const training::Task small = transfer(1000, 0), large = transfer(4000, 1), other = transfer(9000, 2);
  sharing.begin(0, {0, 1}, TransferTime{}, small, 0);
  sharing.begin(1, {0, 1}, TransferTime{}, large, 0);
  sharing.settle();
  CHECK(sharing.speed(0) == 0.25);
  CHECK(sharing.speed(1) == 0.75);
  sharing.begin(2, {0, 1}, TransferTime{}, other, 10);
  sharing.settle();
  for (const std::uint32_t each : {0u, 1u, 2u}) CHECK(sharing.speed(each) == Approx(1.0 / 3));
  sharing.end(2);
  sharing.end(1);
  sharing.settle();
  CHECK(sharing.speed(0) == 1);
}

TEST_CASE("groups of one kind slow a transfer once, by the slowest", "[pure][training]") {
  OnePair pairs;
  TransferSharing sharing(2, 0, Sharing::fair, &pairs);
  TransferTime kind;
  kind.kind = 1;
  const training::Task small = transfer(1000, 0), large = transfer(4000, 1);
  sharing.begin(0, {0, 1}, TransferTime{}, small, 0);
  sharing.begin(1, {0}, kind, large, 0);  // two groups of one kind, which have no common rank
  sharing.begin(2, {1}, kind, large, 0);
  sharing.settle();
  CHECK(sharing.speed(0) == 0.25);
  CHECK(sharing.speed(1) == 0.75);
  CHECK(sharing.speed(2) == 0.75);
}

TEST_CASE("transfers that were measured together meet others as a whole, and not each other", "[pure][training]") {
  const std::vector<LinkLoad> half{{0, 0.4}}, rest{{0, 0.3}};
  TransferTime a, b;
  a.loads = &half, a.kind = 1, a.concurrent = 2;  // the other group of the kind also loads the link by 0.4
  b.loads = &rest;
  TransferSharing sharing(3, 1, Sharing::in_turn);
  const training::Task first = transfer(1000, 0), second = transfer(1000, 1);
  sharing.begin(0, {0}, a, first, 0);
  sharing.begin(1, {1}, a, first, 0);
  sharing.begin(2, {2}, b, second, 0);  // 0.8 + 0.3 is more than the link
  CHECK(sharing.speed(0) == 1);
  CHECK(sharing.speed(1) == 1);
  CHECK(sharing.speed(2) == 0);
}

TEST_CASE("a graph of a pair has both collectives with the groups that are concurrent with them", "[pure][training]") {
  TaskGraph graph(4);
  graph.groups.push_back({"tp0", {0, 1}});
  graph.groups.push_back({"tp1", {2, 3}});
  for (const GroupId group : {1u, 2u}) {
    training::Task sum = transfer(4096, 3);
    sum.name = "activations", sum.group = group, sum.after = {};
    graph.tasks.push_back(sum);
  }
  training::Task gradients = transfer(65536, 1);
  gradients.name = "gradients", gradients.after = {0, 1};
  graph.tasks.push_back(gradients);
  const TaskGraph both = graph_of_pair(graph, {2, 1, 500});
  REQUIRE(both.tasks.size() == 4);
  CHECK(both.tasks[0].name == "gradients");
  CHECK(both.tasks[0].queue == 0);
  CHECK(both.tasks[0].after.empty());
  CHECK(both.tasks[1].group == 2);
  CHECK(both.tasks[1].queue == 1);
  CHECK(both.tasks[2].group == 1);
  CHECK(both.tasks[2].queue == 1);
  CHECK(both.tasks[3].kind == TaskKind::mark);
  CHECK(both.tasks[3].delay == 500);
  for (const TaskId late : {1u, 2u}) CHECK(both.tasks[late].after == std::vector<TaskId>{3});
  graph.tasks[2].kind = TaskKind::send;
  graph.tasks[2].rank = 0, graph.tasks[2].transfer.peer = 1;
  CHECK_THROWS_AS(graph_of_pair(graph, {2, 1, 500}), InputError);
}

}  // namespace tributary::test_pair_rule
