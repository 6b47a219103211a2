// Tests timing, U-turns and multicast of the switch (docs/systems/klenk.md#switch-latency). Times: flit 640 ps, switch 150
// ns, wire 20 ns.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "modules/base/random.h"
#include "testbench/test/harness/switch_bench.h"

namespace tributary::test_switch_core {
namespace {

constexpr Tick latency = SwitchBench::switch_latency, hop = SwitchBench::hop, flit = SwitchBench::flit_time;

SwitchBench::Config with(bool voq, double speedup = 2) {
  SwitchBench::Config c;
  c.virtual_output_queues = voq;
  c.speedup = speedup;
  return c;
}
std::vector<Tick> heads_at(const SwitchBench& b, unsigned port) {
  std::vector<Tick> heads;
  for (const auto& d : b.delivered)
    if (d.port == port) heads.push_back(d.head);
  return heads;
}

}  // namespace

TEST_CASE("an idle switch passes a header in 150 ns, and cuts through", "[pure][switch]") {
  SwitchBench b(with(GENERATE(true, false)));
  const unsigned payload = GENERATE(0u, 1u, 128u);
  const Tick start = 1'000'000;
  b.send(3, b.packet(request_vc, 1u << 11, Exit::link, payload), start);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 1);
  const SwitchBench::Delivery& d = b.delivered[0];
  CHECK(d.port == 11);
  CHECK(d.head == start + hop + latency + hop);
  CHECK(d.tail == d.head + (d.flits - 1) * flit);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("back-to-back packets leave back to back", "[pure][switch]") {
  SwitchBench b(with(true));
  for (unsigned i = 0; i < 100; ++i) b.send(0, b.packet(request_vc, 1u << 1), 0);
  REQUIRE(b.run_dry());
  const std::vector<Tick> heads = heads_at(b, 1);
  REQUIRE(heads.size() == 100);
  for (unsigned i = 0; i < 100; ++i) CHECK(heads[i] == 2 * hop + latency + i * SwitchBench::packet_time);
}

TEST_CASE("a packet may leave by the port by which it arrived", "[pure][switch]") {
  SwitchBench b(with(GENERATE(true, false)));
  b.send(5, b.packet(response_vc, 1u << 5), 0);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 1);
  CHECK(b.delivered[0].port == 5);
  CHECK(b.delivered[0].head == 2 * hop + latency);
}

TEST_CASE("a multicast reaches every output once, one crossing after another", "[pure][switch]") {
  const double speedup = GENERATE(1.0, 2.0);
  SwitchBench b(with(GENERATE(true, false), speedup));
  b.send(0, b.packet(request_vc, 0xFFFE), 0);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 15);
  std::set<unsigned> ports;
  std::vector<Tick> starts;
  for (const auto& d : b.delivered) {
    ports.insert(d.port);
    starts.push_back(d.head - hop);
    CHECK(d.tail == d.head + 8 * flit);
  }
  CHECK((ports.size() == 15 && ports.count(0) == 0));
  std::sort(starts.begin(), starts.end());
  const Tick crossing = speedup == 1.0 ? 5760 : 2880;
  // The first crossing lasts until the tail has arrived (8 flits after the head), if that is later.
  const Tick first = std::max<Tick>(crossing, 8 * flit);
  for (unsigned i = 0; i < 15; ++i) CHECK(starts[i] == hop + latency + (i == 0 ? 0 : first + (i - 1) * crossing));
  // Its buffer space is freed when the last copy has crossed.
  REQUIRE(b.returned.size() == 1);
  CHECK(b.returned[0].when == starts.back() + crossing);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("a multicast crosses to the free outputs first, and to the others later", "[pure][switch]") {
  SwitchBench::Config c = with(GENERATE(true, false));
  c.crossbar_replicates = GENERATE(false, true);
  c.output_flits = c.sink_flits = 9;  // one packet each
  SwitchBench b(c);
  b.closed_sinks = 1u << 2;
  // one in the sink, one in the queue, one waiting
  for (unsigned i = 0; i < 3; ++i) b.send(7, b.packet(request_vc, 1u << 2), 0);
  b.run(1'000'000);
  REQUIRE(heads_at(b, 2).size() == 1);
  b.send(0, b.packet(request_vc, 1u << 1 | 1u << 2 | 1u << 3), b.now());
  b.run(2'000'000);
  CHECK(heads_at(b, 1).size() == 1);
  CHECK(heads_at(b, 3).size() == 1);
  CHECK(heads_at(b, 2).size() == 1);
  const auto returned = [&] {
    return std::count_if(b.returned.begin(), b.returned.end(), [](const auto& r) { return r.port == 0; });
  };
  CHECK(returned() == 0);
  b.open_sinks();
  REQUIRE(b.run_dry());
  CHECK(heads_at(b, 1).size() == 1);
  CHECK(heads_at(b, 3).size() == 1);
  CHECK(heads_at(b, 2).size() == 4);
  CHECK(returned() == 1);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("simultaneous multicasts from all ports arrive exactly once everywhere", "[pure][switch]") {
  SwitchBench::Config c = with(GENERATE(true, false));
  c.crossbar_replicates = GENERATE(false, true);
  c.output_flits = c.sink_flits = GENERATE(9u, 541u);
  SwitchBench b(c);
  constexpr unsigned rounds = 8;
  for (unsigned i = 0; i < rounds; ++i)
    for (unsigned p = 0; p < 16; ++p) b.send(p, b.packet(i % 2, 0xFFFF & ~(1u << p)), 0);
  REQUIRE(b.run_dry());
  std::set<std::pair<std::uint32_t, unsigned>> copies;
  for (const auto& d : b.delivered) {
    CHECK(copies.emplace(d.header.id, d.port).second);
    CHECK(d.port != d.header.source);
  }
  CHECK(copies.size() == rounds * 16 * 15);
  CHECK(b.returned.size() == rounds * 16);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("the trajectory does not depend on the length of windows", "[pure][switch]") {
  const auto run = [](Tick window) {
    SwitchBench::Config c = with(true);
    c.window = window;
    c.input_flits = 40;
    SwitchBench b(c);
    std::array<unsigned, 32> made{};
    b.source = [&](unsigned port, unsigned vc) -> Packet* {
      if (++made[vc * 16 + port] > 50) return nullptr;
      const std::uint32_t outputs = (port * 7 + vc * 3 + 1) % 5 == 0 ? 0x00F1u : 1u << ((port * 5 + vc) % 16);
      return b.packet(vc, outputs, Exit::link, vc == 0 ? 128 : 0);
    };
    CHECK(b.run_dry());
    std::vector<std::tuple<unsigned, unsigned, unsigned, Tick>> all;
    for (const auto& d : b.delivered) all.emplace_back(d.port, d.header.source, d.vc, d.head);
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto reference = run(SwitchBench::link_latency);
  CHECK(reference.size() == 50 * (26 + 6 * 5));  // 6 of the 32 queues send multicasts to five ports
  CHECK(run(3'201) == reference);
  CHECK(run(11'000) == reference);
}

// Ports 0 to 15 carry the same traffic, and the others none: outputs that grant nothing do not change the order.
TEST_CASE("unused ports do not change the behaviour of a switch", "[pure][switch][ports]") {
  const auto run = [](unsigned ports, bool voq) {
    SwitchBench::Config c = with(voq);
    c.ports = ports;
    c.crossbar_replicates = voq;
    c.input_flits = c.output_flits = 40;
    SwitchBench b(c);
    std::array<unsigned, 32> made{};
    b.source = [&](unsigned port, unsigned vc) -> Packet* {
      if (port >= 16 || ++made[vc * 16 + port] > 60) return nullptr;
      const std::uint64_t r = random_at(5, vc * 16 + port, made[vc * 16 + port]);
      const std::uint32_t outputs = r % 5 == 0 ? 0xF00Fu : 1u << (r >> 8) % 16;
      return b.packet(vc, outputs, r % 5 != 0 && r % 3 == 0 ? Exit::stage : Exit::link, (r >> 16) % 2 == 0 ? 128 : 0);
    };
    CHECK(b.run_dry());
    std::vector<std::tuple<unsigned, unsigned, unsigned, Tick>> all;
    for (const auto& d : b.delivered) all.emplace_back(d.port, d.header.source, d.vc, d.head);
    for (const auto& r : b.returned) all.emplace_back(100 + r.port, 0, r.vc, r.when);
    std::sort(all.begin(), all.end());
    return all;
  };
  for (const bool voq : {true, false}) {
    const auto narrow = run(16, voq);
    CHECK(narrow.size() > 16 * 2 * 60);
    CHECK(run(17, voq) == narrow);
    CHECK(run(64, voq) == narrow);
  }
}

TEST_CASE("simultaneous multicasts from all of 32 ports arrive exactly once everywhere", "[pure][switch][ports]") {
  SwitchBench::Config c = with(GENERATE(true, false));
  c.ports = 32;
  c.crossbar_replicates = GENERATE(false, true);
  SwitchBench b(c);
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned p = 0; p < 32; ++p) b.send(p, b.packet(i % 2, ~(1u << p)), 0);
  REQUIRE(b.run_dry());
  std::set<std::pair<std::uint32_t, unsigned>> copies;
  for (const auto& d : b.delivered) {
    CHECK(copies.emplace(d.header.id, d.port).second);
    CHECK(d.port != d.header.source);
  }
  CHECK(copies.size() == 4 * 32 * 31);
  CHECK(b.returned.size() == 4 * 32);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("an illegal switch configuration is refused", "[pure][switch]") {
  SwitchBench::Config c;
  c.ports = 129;
  CHECK_THROWS_AS(SwitchBench(c), std::invalid_argument);
  c.ports = 0;
  CHECK_THROWS_AS(SwitchBench(c), std::invalid_argument);
  c = {};
  c.stage_queue_flits = 8;
  CHECK_THROWS_AS(SwitchBench(c), std::invalid_argument);
  c = {};
  c.replication_flits = 8;
  CHECK_THROWS_AS(SwitchBench(c), std::invalid_argument);
  c = {};
  c.speedup = 0;
  CHECK_THROWS_AS(SwitchBench(c), std::invalid_argument);
}

}  // namespace tributary::test_switch_core
