// The longest chain of activities in an idle machine (docs/bottleneck.md).

#include <catch2/catch.hpp>

#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/collective/fluid/longest_chain.h"

namespace tributary::test_longest_chain {

using namespace tributary::collective;

namespace {

constexpr DelayKind adding = 1, waiting = 2;

/// A transfer of 100 B at 1 B/ps over `links`, which arrives 10 ps later.
Activity transfer(std::vector<std::uint32_t> links, double latency = 10) {
  Activity a;
  a.bytes = 100;
  for (const std::uint32_t link : links) a.uses.push_back({link, 1});
  a.latency = latency;
  return a;
}

ActivityGraph of_links(unsigned count) {
  ActivityGraph graph;
  for (unsigned i = 0; i < count; ++i) graph.add_link(1e12);
  return graph;
}

}  // namespace

TEST_CASE("longest chain: transfers, latencies and delays add up to its time", "[bottleneck]") {
  ActivityGraph graph = of_links(3);
  const auto a = graph.add(transfer({0})), b = graph.add(transfer({1, 2}, 25));
  graph.after(b, a, Moment::arrived, 7, adding);
  const LongestChain chain(graph);
  CHECK(chain.time() == Approx(100 + 10 + 7 + 100 + 25));
  CHECK(chain.on_links() == Approx(200));
  CHECK(chain.capped() == 0);
  CHECK(chain.delay(adding) == Approx(7));
  CHECK(chain.delay(waiting) == 0);
  CHECK(chain.arrivals() == 2);
  CHECK(chain.arrivals(1) == 1);
  CHECK(chain.arrivals(2) == 1);
  CHECK(chain.crossed_links() == 3);
}

TEST_CASE("longest chain: it follows the condition that was met last", "[bottleneck]") {
  ActivityGraph graph = of_links(2);
  const auto early = graph.add(transfer({0})), late = graph.add(transfer({1})), end = graph.add_point();
  graph.after(end, early, Moment::arrived, 5, adding);
  graph.after(end, late, Moment::sent, 90, waiting);  // 190 against 115
  const LongestChain chain(graph);
  CHECK(chain.time() == Approx(190));
  CHECK(chain.delay(adding) == 0);
  CHECK(chain.delay(waiting) == Approx(90));
  CHECK(chain.arrivals() == 0);  // of `late` only the sending counts
}

TEST_CASE("longest chain: a link carries one transfer at a time, in the order in which they are ready", "[bottleneck]") {
  ActivityGraph graph = of_links(1);
  const auto first = graph.add(transfer({0})), second = graph.add(transfer({0})), point = graph.add_point();
  graph.after(second, point, Moment::sent, 30, waiting);  // ready at 30, begins at 100
  graph.after(graph.add_point(), first, Moment::sent);
  const LongestChain chain(graph);
  CHECK(chain.time() == Approx(210));
  CHECK(chain.on_links() == Approx(200));
  CHECK(chain.delay(waiting) == 0);  // hidden by the first transfer
  CHECK(chain.arrivals() == 1);
}

TEST_CASE("longest chain: transfers of a lane follow one another, and a cap slows them down", "[bottleneck]") {
  ActivityGraph graph;
  for (int i = 0; i < 3; ++i) {
    Activity a = transfer({});
    a.cap = 0.5e12;
    a.lane = 0;
    graph.add(a);
  }
  const LongestChain chain(graph);
  CHECK(chain.time() == Approx(3 * 200 + 10));
  CHECK(chain.capped() == Approx(600));
  CHECK(chain.on_links() == 0);
  CHECK(chain.arrivals(0) == 1);
}

TEST_CASE("longest chain: its activities are in the order of time", "[bottleneck]") {
  ActivityGraph graph = of_links(2);
  const auto first = graph.add(transfer({0})), other = graph.add(transfer({1})), second = graph.add(transfer({0}, 25));
  graph.after(second, graph.add_point(), Moment::sent, 10);  // the link is free later
  const auto last = graph.add(transfer({1}));
  graph.after(last, second, Moment::arrived, 7, adding);
  graph.after(last, other, Moment::arrived);
  const LongestChain longest(graph);
  const std::vector<ChainedActivity>& chain = longest.activities();
  REQUIRE(chain.size() == 3);
  const auto is = [&](std::size_t i, ActivityGraph::Id activity, Moment moment, double delay, DelayKind kind) {
    CHECK(chain[i].activity == activity);
    CHECK(chain[i].moment == moment);
    CHECK(chain[i].time == Approx(100));
    CHECK(chain[i].delay == Approx(delay));
    CHECK(chain[i].kind == kind);
  };
  is(0, first, Moment::sent, 0, 0);  // held the link of the second
  is(1, second, Moment::arrived, 7, adding);
  is(2, last, Moment::arrived, 0, 0);
}

TEST_CASE("longest chain: the times of a run lead to the later of two inputs", "[bottleneck]") {
  ActivityGraph graph;
  const auto fast = graph.add_link(10e12), slow = graph.add_link(1e12);
  const auto a = graph.add({1000, {{fast, 1}}, no_cap, 50});   // sent at 100 ps, arrives at 150 ps
  const auto b = graph.add({1000, {{slow, 1}}, no_cap, 50});   // sent at 1000 ps, arrives at 1050 ps
  const auto c = graph.add({1000, {{fast, 1}}, no_cap, 200});  // begins at 1080 ps, arrives at 1380 ps
  graph.after(c, a, Moment::sent, 500);
  graph.after(c, b, Moment::arrived, 30);
  FluidRun run(graph);
  run.run();
  const LongestChain chain(graph, run);
  CHECK(chain.time() == Approx(1380));
  REQUIRE(chain.activities().size() == 2);
  CHECK(chain.activities()[0].activity == b);
  CHECK(chain.activities()[0].moment == Moment::arrived);
  CHECK(chain.activities()[0].time == Approx(1000));
  CHECK(chain.activities()[0].delay == Approx(30));
  CHECK(chain.activities()[1].activity == c);
}

TEST_CASE("longest chain: the times of a run lead through a busy lane", "[bottleneck]") {
  ActivityGraph graph;
  Activity one{1000, {{graph.add_link(1e12), 1}}, no_cap, 10};
  one.lane = 0;
  const std::vector<ActivityGraph::Id> all{graph.add(one), graph.add(one),
                                           graph.add(one)};  // one after another, 1000 ps each
  FluidRun run(graph);
  run.run();
  const LongestChain chain(graph, run);
  REQUIRE(chain.activities().size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(chain.activities()[i].activity == all[i]);
  CHECK(chain.activities().front().moment == Moment::sent);  // the lane does not wait for the arrival
  CHECK(chain.activities().back().moment == Moment::arrived);
  CHECK(chain.on_links() == Approx(3000));
}

TEST_CASE("longest chain: an empty graph has none", "[bottleneck]") {
  const ActivityGraph graph;
  const LongestChain chain(graph);
  CHECK(chain.time() == 0);
  CHECK(chain.arrivals() == 0);
  CHECK(chain.activities().empty());
  CHECK(LongestChain(graph, FluidRun(graph)).activities().empty());
}

}  // namespace tributary::test_longest_chain
