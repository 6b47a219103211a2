// The chain of activities that determines the end of a fluid run.
#include <catch2/catch.hpp>

#include "testbench/collective/fluid/critical_chain.h"

namespace tributary::test_critical_chain {

using namespace tributary::collective;

namespace {

constexpr double GBps = 1e9, ns = 1e3;

std::vector<ActivityGraph::Id> activities(const std::vector<ChainLink>& chain) {
  std::vector<ActivityGraph::Id> all;
  for (const ChainLink& link : chain) all.push_back(link.activity);
  return all;
}

}  // namespace

TEST_CASE("the critical chain follows the later of two inputs", "[pure][fluid]") {
  ActivityGraph graph;
  const auto fast = graph.add_link(10 * GBps), slow = graph.add_link(1 * GBps);
  const auto a = graph.add({1000, {{fast, 1}}, no_cap, 50 * ns});   // sent at 100 ns, arrives at 150 ns
  const auto b = graph.add({1000, {{slow, 1}}, no_cap, 50 * ns});   // sent at 1000 ns, arrives at 1050 ns
  const auto c = graph.add({1000, {{fast, 1}}, no_cap, 200 * ns});  // begins at 1080 ns, arrives at 1380 ns
  graph.after(c, a, Moment::sent, 500 * ns);
  graph.after(c, b, Moment::arrived, 30 * ns);
  FluidRun run(graph);
  run.run();
  const std::vector<ChainLink> chain = critical_chain(graph, run);
  CHECK(activities(chain) == std::vector<ActivityGraph::Id>{b, c});
  CHECK(chain.front().moment == Moment::arrived);
  CHECK(chain.front().delay == 30 * ns);
  CHECK(run.arrived(c) == Approx(1380 * ns));
}

TEST_CASE("the critical chain follows a busy lane", "[pure][fluid]") {
  ActivityGraph graph;
  const auto link = graph.add_link(1 * GBps);
  Activity one{1000, {{link, 1}}, no_cap, 10 * ns};
  one.lane = 0;
  const auto a = graph.add(one), b = graph.add(one), c = graph.add(one);  // one after another, 1000 ns each
  FluidRun run(graph);
  run.run();
  const std::vector<ChainLink> chain = critical_chain(graph, run);
  CHECK(activities(chain) == std::vector<ActivityGraph::Id>{a, b, c});
  CHECK(chain.front().moment == Moment::sent);  // the lane does not wait for the arrival
  CHECK(chain.back().moment == Moment::arrived);
  CHECK(critical_chain(ActivityGraph(), FluidRun(ActivityGraph())).empty());
}

}  // namespace tributary::test_critical_chain
