// EthernetSwitchCore paused by its neighbours.
#include <catch2/catch.hpp>

#include "testbench/test/harness/ethernet_switch_bench.h"

namespace tributary::test_ethernet_switch_pauses {

using Bench = EthernetSwitchBench;

namespace {

constexpr Tick head = 5'760, wire = Bench::link_latency, through = 300'000;

EthernetSwitchConfig three_ports(unsigned lossless) {
  EthernetSwitchConfig config = Bench::plain(3);
  config.lossless = lossless;
  return config;
}

/// The station at `port` sends a pause at `when`.
void pause(Bench& bench, unsigned port, unsigned traffic_class, unsigned quanta, Tick when) {
  Packet* const p = make_frame(bench.pool, FrameKind::pause, 0, false);
  p->vc = control_class;
  roce(*p).extra = traffic_class << 16 | quanta;
  bench.stations[port]->push(p, control_class, p->wire_bytes, when, when);
}

}  // namespace

TEST_CASE("Ethernet switch paused: it obeys its neighbours, class by class", "[pure][ethernet_switch]") {
  Bench bench(three_ports(1u << roce_class));
  pause(bench, 2, roce_class, 1'000, 1'000'000);  // arrives at 1 016 720, in effect at 1 516 720, for 5.12 us
  for (unsigned i = 0; i < 20; ++i) bench.send(0, 2, i, 1'000'000);
  bench.send(1, 2, 100, 2'000'000, background_class);
  pause(bench, 2, roce_class, 0, 3'000'000);  // in effect at 3 516 720
  bench.run(10'000'000);
  const auto out = bench.at(2);
  REQUIRE(out.size() == 21);
  unsigned held = 0;
  for (const auto& d : out) {
    const Tick start = d.head - head - wire;
    if (d.id == 100) CHECK(start == 2'000'000 + head + wire + through);
    if (d.id != 100) CHECK((start < 1'516'720 || start >= 3'516'720));
    held += start == 3'516'720;
  }
  CHECK(held == 1);
  CHECK(bench.core->counters().pauses_received == 2);
}

TEST_CASE("Ethernet switch paused: stalled frames free the buffer when the pause ends early", "[pure][ethernet_switch]") {
  for (const unsigned lossless : {1u << roce_class, 0u}) {
    std::vector<Bench::Delivered> first;
    for (const Tick step : {Tick{20'000}, Tick{490'000}}) {
      EthernetSwitchConfig config = three_ports(lossless);
      config.buffer.bytes = 40 * 1'070;
      Bench bench(config);
      pause(bench, 2, background_class, 0xFFFF, 1'000'000);
      pause(bench, 2, background_class, 0, 20'000'000);
      for (unsigned i = 0; i < 30; ++i) bench.send(0, 2, i, 2'000'000, background_class);
      bench.run(18'000'000, step);
      // The buffer has half the size; without priority flow control, pauses are ignored.
      CHECK(bench.core->counters().dropped == (lossless != 0 ? 10 : 0));
      for (unsigned i = 0; i < 100; ++i) bench.send(0, 2, 100 + i, 20'000'000, background_class);
      for (unsigned i = 0; i < 100; ++i) bench.send(1, 2, 200 + i, 20'000'000, background_class);
      bench.run(100'000'000, step);
      CHECK(bench.at(2).size() + bench.core->counters().dropped == 230);
      CHECK(bench.core->counters().dropped > 50);
      if (first.empty()) first = bench.at(2);
      CHECK((bench.at(2) == first));
    }
  }
}

}  // namespace tributary::test_ethernet_switch_pauses
