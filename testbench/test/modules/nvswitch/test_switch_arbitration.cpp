// Tests arbitration that takes time: it delays a crossing and costs no rate (docs/blocks/switch.md#time-of-arbitration).
#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

#include "modules/base/random.h"
#include "testbench/test/harness/switch_bench.h"

namespace tributary::test_switch_arbitration {
namespace {

constexpr Tick hop = SwitchBench::hop, packet_time = SwitchBench::packet_time, first = hop + SwitchBench::switch_latency;
constexpr Tick flit_time = SwitchBench::flit_time, crossing = packet_time / 2;

/// Injects each packet of a stage for output 9, with the `latency` of its sum.
auto injects(Tick latency) {
  return [latency](unsigned, Packet* p, Tick, Tick) {
    StageOutcome o;
    p->header<TestHeader>().exit = Exit::link;
    p->header<TestHeader>().outputs = 1u << 9;
    o.inject = p;
    o.latency = latency;
    return o;
  };
}

using Seen = std::vector<std::tuple<unsigned, unsigned, unsigned, Tick, Tick>>;

/// Sends packets of all kinds through stages that inject; returns what leaves, and when.
Seen traffic(SwitchBench::Config c, std::uint64_t seed, bool planned) {
  c.ports = 6;
  c.planned = planned;
  SwitchBench b(c);
  b.forwarding.unit = [&](unsigned, Packet* p, Tick, Tick) {
    StageOutcome o;
    TestHeader& h = p->header<TestHeader>();
    h.exit = Exit::link;
    h.outputs = 1u << h.id % 6;
    o.inject = p;
    o.latency = h.id % 3 == 0 ? 10'000 : 0;
    return o;
  };
  std::array<unsigned, 12> made{};
  b.source = [&](unsigned port, unsigned vc) -> Packet* {
    const unsigned queue = vc * 6 + port;
    if (++made[queue] > 50) return nullptr;
    const std::uint64_t r = random_at(seed, queue, made[queue]);
    const std::uint32_t outputs = r % 8 == 0 ? 1u << (r >> 8) % 6 | 1u << (r >> 16) % 6 : 1u << (r >> 8) % 6;
    const bool one = (outputs & (outputs - 1)) == 0;
    return b.packet(vc, outputs, one && (r >> 24) % 4 == 0 ? Exit::stage : Exit::link, (r >> 32) % 3 == 0 ? 0 : 128);
  };
  REQUIRE(b.run_dry());
  CHECK(b.pool.live() == 0);
  Seen seen;
  for (const auto& d : b.delivered) seen.emplace_back(d.port, d.header.source, d.vc, d.head, d.tail);
  std::sort(seen.begin(), seen.end());
  return seen;
}

}  // namespace

TEST_CASE("arbitration delays a crossing by its time", "[pure][switch]") {
  SwitchBench::Config c;
  c.arbitration = GENERATE(as<Tick>(), 0, 1, 640, 2'000, 50'000);
  c.virtual_output_queues = GENERATE(true, false);
  SwitchBench b(c);
  b.send(0, b.packet(request_vc, 1u << 9), 0);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 1);
  CHECK(b.delivered[0].head == first + c.arbitration + hop);
  // The input is free when the packet has crossed, and no sooner than its tail has passed the switch.
  const Tick tail = first + packet_time - flit_time;
  REQUIRE(b.returned.size() == 1);
  CHECK(b.returned[0].when == std::max(first + c.arbitration + crossing, tail));
}

TEST_CASE("arbitration of a stream costs no rate", "[pure][switch]") {
  SwitchBench::Config c;
  c.arbitration = 50'000;
  c.virtual_output_queues = GENERATE(true, false);
  SwitchBench b(c);
  for (unsigned i = 0; i < 20; ++i) b.send(0, b.packet(request_vc, 1u << 9), 0);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 20);
  for (unsigned i = 0; i < 20; ++i) CHECK(b.delivered[i].head == first + 50'000 + hop + i * packet_time);
}

TEST_CASE("arbitration of a multicast is over for all outputs at once", "[pure][switch]") {
  const Tick arbitration = GENERATE(as<Tick>(), 0, 50'000);
  SwitchBench::Config c;
  c.arbitration = arbitration;
  SwitchBench b(c);
  b.send(0, b.packet(request_vc, 0b1110), 0);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 3);
  std::vector<Tick> heads;
  for (const auto& d : b.delivered) heads.push_back(d.head);
  std::sort(heads.begin(), heads.end());
  // Without arbitration the first crossing lasts until the tail has passed the switch.
  const Tick longest = arbitration == 0 ? packet_time - flit_time : crossing;
  CHECK(heads[0] == first + arbitration + hop);
  CHECK(heads[1] == heads[0] + longest);
  CHECK(heads[2] == heads[1] + crossing);
}

TEST_CASE("arbitration delays a sum once more, when it returns to the crossbar", "[pure][switch]") {
  SwitchBench::Config c;
  c.arbitration = GENERATE(as<Tick>(), 0, 1, 3'000, 50'000);
  c.virtual_output_queues = GENERATE(true, false);
  const Tick latency = GENERATE(as<Tick>(), 0, 7'000);
  SwitchBench b(c);
  b.forwarding.unit = injects(latency);
  b.send(0, b.packet(request_vc, 1u << 4, Exit::stage), 0);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 1);
  CHECK(b.delivered[0].head == first + c.arbitration + packet_time + latency + c.arbitration + hop);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("sums wait for their arbitration while the input of their port is busy", "[pure][switch]") {
  SwitchBench::Config c;
  c.arbitration = 1'000;
  SwitchBench b(c);
  b.forwarding.unit = injects(0);
  // The sum is injected when another packet of its port begins to cross, and follows it.
  b.send(0, b.packet(request_vc, 1u << 4, Exit::stage), 0);
  b.send(4, b.packet(request_vc, 1u << 7), packet_time);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 2);
  const auto& sum = b.delivered[b.delivered[0].port == 9 ? 0 : 1];
  const auto& other = b.delivered[b.delivered[0].port == 9 ? 1 : 0];
  CHECK(other.head == first + packet_time + 1'000 + hop);
  CHECK(sum.port == 9);
  CHECK(sum.head == other.head + std::max(crossing, packet_time - flit_time - 1'000));
}

TEST_CASE("a switch ahead of its links decides equally if arbitration takes time", "[pure][switch]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SwitchBench::Config c;
    c.virtual_output_queues = seed % 2 == 0;
    c.crossbar_replicates = seed / 2 % 2 == 0;
    c.output_flits = std::array{9u, 19u, 60u}[seed % 3];
    c.sink_flits = std::array{9u, 120u}[seed / 3 % 2];
    c.replication_flits = std::array{9u, 288u}[seed / 6];
    c.sink_delay = seed % 2 == 0 ? 0 : 90'000;
    c.arbitration = std::array<Tick, 4>{1, 640, 3'000, 200'000}[seed % 4];
    INFO("switch " << seed);
    const Seen ahead = traffic(c, seed, true);
    CHECK(ahead.size() >= 12 * 50);
    const bool alike = traffic(c, seed, false) == ahead;
    CHECK(alike);
  }
}

}  // namespace tributary::test_switch_arbitration
