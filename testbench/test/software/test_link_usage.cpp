#include <catch2/catch.hpp>

#include "testbench/observe/link_usage.h"

namespace tributary::test_link_usage {
namespace {
void send(LinkMeter::Traffic& t, Tick start, std::uint32_t flits) {
  t = {t.packets + 1, t.bytes + 16 * flits, start, 16 * flits};
}
}  // namespace

TEST_CASE("link usage: it counts bytes, packets and the last end", "[pure]") {
  LinkMeter::Traffic up, down;
  LinkUsage usage;
  REQUIRE(usage.busiest() == nullptr);
  REQUIRE(usage.add(up, "gpu0.port0>switch0_0.port0", 25_GBps) == 0);
  REQUIRE(usage.add(down, "switch0_0.port0>gpu0.port0", 25_GBps) == 1);
  send(up, 0, 9);
  send(up, 5760, 9);
  send(up, 11'520, 1);
  send(down, 3000, 1);
  // 9 flits of 16 B at 25 GB/s take 5.76 ns, one takes 0.64 ns (docs/systems/klenk.md#links-and-packets).
  const LinkUsage::Link& l = usage.links()[0];
  REQUIRE(l.name == "gpu0.port0>switch0_0.port0");
  REQUIRE(l.bytes() == 144 + 144 + 16);
  REQUIRE(l.packets() == 3);
  REQUIRE(l.last_end() == 12'160);
  REQUIRE(l.utilisation(12'160) == Approx(1.0));
  REQUIRE(l.utilisation(24'320) == Approx(0.5));
  REQUIRE(usage.links()[1].last_end() == 3640);
  REQUIRE(usage.total_bytes() == 320);
  REQUIRE(usage.total_packets() == 4);
  REQUIRE(usage.busiest() == &l);
}

TEST_CASE("link usage: the busiest link is the one nearest to its own rate, and reset keeps the links", "[pure]") {
  LinkMeter::Traffic slow, fast;
  LinkUsage usage;
  usage.add(fast, "fast", 100_GBps);
  usage.add(slow, "slow", 25_GBps);
  send(fast, 0, 4);
  send(slow, 0, 4);
  send(fast, 2560, 4);
  REQUIRE(usage.busiest()->name == "slow");
  REQUIRE(usage.links()[0].utilisation(0) == 0);
  usage.reset();
  REQUIRE(usage.total_bytes() == 0);
  REQUIRE(usage.links().size() == 2);
  send(slow, 9000, 4);
  REQUIRE(usage.total_packets() == 1);
}

}  // namespace tributary::test_link_usage
