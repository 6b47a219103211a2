/// Tests a switch ahead of its links: its decisions must not depend on the time at which it learns of credits.
#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

#include "modules/base/random.h"
#include "testbench/test/harness/switch_bench.h"

namespace tributary::test_switch_core_ahead {
namespace {

using Seen = std::vector<std::tuple<unsigned, unsigned, unsigned, unsigned, Tick, Tick>>;

struct Outcome {
  Seen seen;
  unsigned windows_cut = 0;
};

/// A unit injects packets that end there for another output; it forwards a third of the passing ones to the link. They are
/// late by one of `latencies`.
StageOutcome serve(Packet* p, const std::vector<Tick>& latencies) {
  TestHeader& h = p->header<TestHeader>();
  StageOutcome o;
  o.latency = latencies[h.id % latencies.size()];
  if (h.exit == Exit::stage) {
    h.exit = Exit::link;
    h.outputs = 1u << h.id % 6;
    o.inject = p;
  } else if (h.id % 3 == 0) {
    o.link = p;
  } else {
    p->release();
  }
  return o;
}

Exit exit_of(std::uint64_t random) {
  return random % 4 == 0 ? Exit::stage_and_link : random % 4 == 1 ? Exit::stage : Exit::link;
}

/// Records all packets that leave and all credits that it returns, with their times: for packets to one output, to two, and
/// to units.
Outcome outcome(SwitchBench::Config config, std::uint64_t seed, bool planned, const std::vector<Tick>& latencies = {0}) {
  config.planned = planned;
  SwitchBench b(config);
  b.forwarding.unit = [&](unsigned, Packet* p, Tick, Tick) { return serve(p, latencies); };
  std::array<unsigned, 32> made{};
  b.source = [&](unsigned port, unsigned vc) -> Packet* {
    const unsigned queue = vc * 16 + port;
    if (++made[queue] > 60) return nullptr;
    const std::uint64_t r = random_at(seed, queue, made[queue]);
    const std::uint32_t outputs = r % 8 == 0 ? 1u << (r >> 8) % 6 | 1u << (r >> 16) % 6 : 1u << (r >> 8) % 6;
    const bool one = (outputs & (outputs - 1)) == 0;
    return b.packet(vc, outputs, one ? exit_of(r >> 24) : Exit::link, (r >> 32) % 3 == 0 ? 0 : 128);
  };
  REQUIRE(b.run_dry());
  Outcome result;
  for (const auto& d : b.delivered) result.seen.emplace_back(d.port, d.header.source, d.vc, d.flits, d.head, d.tail);
  for (const auto& r : b.returned) result.seen.emplace_back(100 + r.port, 0, r.vc, r.flits, r.when, 0);
  std::sort(result.seen.begin(), result.seen.end());
  result.windows_cut = b.windows_cut();
  return result;
}

}  // namespace

TEST_CASE("the decisions of a switch ahead of its links do not depend on unknown credits", "[pure][switch]") {
  unsigned windows_cut = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SwitchBench::Config c;
    c.virtual_output_queues = seed % 3 != 0;
    c.crossbar_replicates = seed / 3 % 2 != 0;
    c.output_flits = std::array{9u, 12u, 19u, 60u}[seed % 4];
    c.sink_flits = std::array{9u, 30u, 120u}[seed / 4 % 3];
    c.input_flits = std::array{306u, 18u}[seed / 12];
    c.stage_queue_flits = seed % 5 == 0 ? 9 : 541;
    c.speedup = std::array{2.0, 1.0, 1.3}[seed / 2 % 3];
    c.sink_delay = seed % 2 == 0 ? 0 : 90'000;
    INFO("switch " << seed);
    const Outcome ahead = outcome(c, seed, true);
    CHECK(ahead.seen.size() > 32 * 60);
    const bool alike = ahead.seen == outcome(c, seed, false).seen;
    CHECK(alike);
    windows_cut += ahead.windows_cut;
  }
  CHECK(windows_cut > 1000);
}

TEST_CASE("a switch ahead of its links decides equally if its units answer late", "[pure][switch]") {
  const std::vector<std::vector<Tick>> of_units{{1}, {640}, {10'000}, {1'000'000}, {0, 10'000, 0, 250'000, 1}};
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    SwitchBench::Config c;
    c.virtual_output_queues = seed % 2 != 0;
    c.output_flits = std::array{9u, 12u, 60u}[seed % 3];
    c.sink_flits = std::array{9u, 120u}[seed / 3 % 2];
    c.replication_flits = std::array{9u, 20u, 288u}[seed / 5];
    c.sink_delay = seed % 2 == 0 ? 0 : 90'000;
    const std::vector<Tick>& latencies = of_units[seed % 5];
    INFO("switch " << seed);
    const Outcome ahead = outcome(c, seed, true, latencies);
    CHECK(ahead.seen.size() > 32 * 60);
    const bool alike = ahead.seen == outcome(c, seed, false, latencies).seen;
    CHECK(alike);
  }
}

}  // namespace tributary::test_switch_core_ahead
