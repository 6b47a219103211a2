// Arbiters of a user in the crossbar of a switch (docs/blocks/switch.md#arbiter).
#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

#include "modules/base/random.h"
#include "testbench/test/harness/own_arbiters.h"
#include "testbench/test/harness/switch_bench.h"

namespace tributary::test_switch_arbiter {
namespace {

using Seen = std::vector<std::tuple<unsigned, unsigned, unsigned, Tick>>;

/// Packets of all kinds from 6 ports, with stages that inject; returns what leaves, and when.
Seen traffic(SwitchBench::Config c, std::uint64_t seed, bool planned) {
  c.ports = 6;
  c.planned = planned;
  SwitchBench b(c);
  b.forwarding.unit = [](unsigned, Packet* p, Tick, Tick) {
    StageOutcome o;
    p->header<TestHeader>().exit = Exit::link;
    o.inject = p;
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
  Seen seen;
  for (const auto& d : b.delivered) seen.emplace_back(d.port, d.header.source, d.vc, d.head);
  std::sort(seen.begin(), seen.end());
  return seen;
}

SwitchBench::Config tight(std::uint64_t seed) {
  SwitchBench::Config c;
  c.virtual_output_queues = seed % 2 == 0;
  c.crossbar_replicates = seed / 2 % 2 == 0;
  c.output_flits = std::array{9u, 19u, 60u}[seed % 3];
  c.sink_flits = std::array{9u, 120u}[seed / 3 % 2];
  c.sink_delay = seed % 2 == 0 ? 0 : 90'000;
  return c;
}

}  // namespace

TEST_CASE("an arbiter with the rules of the crossbar gives its packets and times", "[pure][switch]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    INFO("switch " << seed);
    SwitchBench::Config c = tight(seed);
    const Seen ours = traffic(c, seed, false);
    OwnRoundRobin own;
    c.arbiter = &own;
    CHECK(ours.size() >= 12 * 50);
    const bool alike = traffic(c, seed, false) == ours;
    CHECK(alike);
  }
}

TEST_CASE("an arbiter of fixed priority serves low inputs first", "[pure][switch]") {
  FixedPriority fixed;
  const bool own = GENERATE(true, false);
  SwitchBench::Config c;
  c.output_flits = c.sink_flits = 9;
  c.arbiter = own ? &fixed : nullptr;
  SwitchBench b(c);
  b.closed_sinks = 1u << 7;
  for (unsigned i = 0; i < 30; ++i) b.send(i % 3, b.packet(request_vc, 1u << 7), 0);
  b.run(1'000'000);  // all packets wait: one in the sink, one in the output queue, 28 at the inputs
  REQUIRE(b.delivered.size() == 1);
  b.open_sinks();
  REQUIRE(b.run_dry());
  std::vector<unsigned> sources;
  for (const auto& d : b.delivered) sources.push_back(d.header.source);
  REQUIRE(sources.size() == 30);
  const bool in_order = std::is_sorted(sources.begin() + 2, sources.end());
  CHECK(in_order == own);
}

TEST_CASE("a switch ahead of its links asks an arbiter for the same decisions", "[pure][switch]") {
  FixedPriority fixed;
  OwnRoundRobin round_robin;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    INFO("switch " << seed);
    SwitchBench::Config c = tight(seed);
    c.arbiter = seed % 2 == 0 ? static_cast<CrossbarArbiter*>(&fixed) : &round_robin;
    const bool alike = traffic(c, seed, true) == traffic(c, seed, false);
    CHECK(alike);
  }
}

}  // namespace tributary::test_switch_arbiter
