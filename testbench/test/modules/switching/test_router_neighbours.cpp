/// Tests RouterCore next to a NIC: routes {Next, Eject} to a neighbour, a NIC that accepts nothing, links and interfaces of
/// unequal rates.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "testbench/test/harness/router_bench.h"

namespace tributary::test_router_neighbours {
namespace {

constexpr std::uint8_t next = 1, local = 2;  // ports that a RouteInfo names: 0 and 1 lead to neighbours
constexpr std::uint16_t nowhere = 999;

Packet* routed(RouterBench& b, RouteInfo route, std::uint16_t destination) {
  Packet* const p = b.packet(destination, 0, 17, 1);
  router_header(*p).route = SourceRoute::to(route);
  return p;
}

}  // namespace

// Huang et al., IV-B: "Next" is used at the source's router and then swapped with "Eject".
TEST_CASE("router: the source's router uses Next and the neighbour's uses Eject, regardless of the destination field",
          "[pure][router]") {
  RouterBench source;
  source.core->inject(0, routed(source, {next, local}, nowhere), 1000 * ns);
  source.run();
  REQUIRE((source.sent.size() == 1 && source.routes.size() == 1));
  CHECK(source.sent[0].port == next);
  CHECK(source.routes[0].neighbour() == (RouteInfo{local, next}));

  RouterBench destination;
  destination.arrive(0, routed(destination, source.routes[0].neighbour(), nowhere), 1000 * ns);
  destination.run();
  REQUIRE((destination.ejected.size() == 1 && destination.sent.empty()));
  CHECK(destination.routes[0].neighbour().eject == next);  // the original Next
}

TEST_CASE("router: a route with a port that does not exist is an error", "[pure][router]") {
  RouterBench b;
  Packet* const p = routed(b, {7, local}, nowhere);
  CHECK_THROWS_AS(b.core->inject(0, p, 1000 * ns), std::out_of_range);
  p->release();
}

TEST_CASE("router: while the NIC accepts nothing, packets for it wait and others pass", "[pure][router]") {
  RouterBench b;
  b.core->stall_ejection(true, 0);
  b.arrive(0, b.packet(0, 0, 17, 1), 1000 * ns);
  b.arrive(0, b.packet(2, 1, 17, 2), 1017 * ns);  // on another VC
  b.arrive(1, b.packet(0, 0, 17, 3), 1000 * ns);
  b.run(5000 * ns);
  CHECK(b.ejected.empty());
  CHECK(b.tags(1) == std::vector<std::uint16_t>{2});
  const auto waiting_here = [&] {
    const std::vector<std::string> lines = b.core->waiting();
    return std::count_if(lines.begin(), lines.end(),
                         [](const std::string& l) { return l.find("the first for this node") != std::string::npos; });
  };
  CHECK(waiting_here() == 2);
  b.core->stall_ejection(false, 6000 * ns);
  b.run();
  REQUIRE(b.ejected.size() == 2);
  for (const auto& [port, end] : b.ejected) CHECK(end == (6000 + 17) * ns);
  CHECK(waiting_here() == 0);
}

TEST_CASE("router: slow interfaces and slow links need longer for each packet", "[pure][router]") {
  // 17 flits of 16 B: 17 ns at 16 GB/s, 34 ns at 8 GB/s
  RouterBench b(318, true, 2, {}, {8_GBps, 16_GBps, 8_GBps});
  for (int i = 0; i < 3; ++i) b.core->inject(0, b.packet(2, 0, 17, 1), 1000 * ns);
  b.arrive(0, b.packet(0, 0, 17, 2), 1000 * ns);
  b.arrive(1, b.packet(0, 0, 17, 3), 1000 * ns);
  b.run();
  REQUIRE((b.sent.size() == 3 && b.ejected.size() == 2));
  CHECK(b.sent[2].head - b.sent[1].head == 34 * ns);
  CHECK(b.ejected[0].second == (1003 + 34) * ns);
  CHECK(b.ejected[1].second == (1003 + 17) * ns);
  CHECK_THROWS_WITH(RouterBench(318, true, 2, {}, {8_GBps}), "a router of 3 links and interfaces has rates for 1");
}

}  // namespace tributary::test_router_neighbours
