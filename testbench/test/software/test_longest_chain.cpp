// The longest chain of activities in an idle machine (docs/bottleneck.md).

#include <catch2/catch.hpp>

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

TEST_CASE("longest chain: an empty graph has none", "[bottleneck]") {
  const ActivityGraph graph;
  const LongestChain chain(graph);
  CHECK(chain.time() == 0);
  CHECK(chain.arrivals() == 0);
}

}  // namespace tributary::test_longest_chain
