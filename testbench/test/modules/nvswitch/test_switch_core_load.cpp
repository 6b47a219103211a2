// Tests fairness and throughput of the switch under load (docs/systems/klenk.md#crossbar).
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "testbench/test/harness/switch_bench.h"

namespace tributary::test_switch_core_load {
namespace {

constexpr Tick packet_time = SwitchBench::packet_time;

SwitchBench::Config config(bool voq) {
  SwitchBench::Config c;
  c.virtual_output_queues = voq;
  return c;
}

/// Counts packets that arrived from each requester (VC x source) between two times.
std::vector<unsigned> shares(const SwitchBench& b, Tick begin, Tick end) {
  std::vector<unsigned> n(32);
  for (const auto& d : b.delivered)
    if (d.head >= begin && d.head < end) ++n[d.vc * 16 + d.header.source];
  return n;
}

}  // namespace

TEST_CASE("sixteen inputs get equal shares of one output", "[pure][switch]") {
  SwitchBench b(config(GENERATE(true, false)));
  const unsigned vc = GENERATE(0u, 1u);
  b.source = [&](unsigned, unsigned v) { return v == vc ? b.packet(v, 1u << 6) : nullptr; };
  b.run(30'000'000);
  const std::vector<unsigned> all = shares(b, 10'000'000, 30'000'000);
  const std::vector<unsigned> n(all.begin() + 16 * vc, all.begin() + 16 * vc + 16);
  const unsigned share = 20'000'000 / packet_time / 16;
  CAPTURE(n);
  CHECK(*std::min_element(n.begin(), n.end()) >= share - 1);
  CHECK(*std::max_element(n.begin(), n.end()) <= share + 1);
  CHECK(b.throughput(1u << 6, 10'000'000, 30'000'000) > 0.999);
}

TEST_CASE("with both VCs, all thirty-two requesters get equal shares of one output", "[pure][switch]") {
  SwitchBench b(config(GENERATE(true, false)));
  b.source = [&](unsigned, unsigned vc) { return b.packet(vc, 1u << 6); };
  b.run(50'000'000);
  const std::vector<unsigned> n = shares(b, 20'000'000, 50'000'000);
  const unsigned share = 30'000'000 / packet_time / 32;
  CAPTURE(n);
  CHECK(*std::min_element(n.begin(), n.end()) >= share - 1);
  CHECK(*std::max_element(n.begin(), n.end()) <= share + 1);
}

TEST_CASE("an input is shared equally among the outputs that it requests", "[pure][switch]") {
  SwitchBench b(config(true));
  // Source 0 has packets for four outputs, each of which one of the sources 1 to 4 requests as well.
  std::array<unsigned, 16> made{};
  b.source = [&](unsigned port, unsigned vc) -> Packet* {
    if (vc != request_vc || port > 4) return nullptr;
    const unsigned output = port == 0 ? 8 + made[0]++ % 4 : 7 + port;
    return b.packet(vc, 1u << output);
  };
  b.run(20'000'000);
  std::array<unsigned, 4> from_zero{};
  for (const auto& d : b.delivered)
    if (d.header.source == 0 && d.head >= 5'000'000) ++from_zero[d.port - 8];
  for (const unsigned n : from_zero) CHECK(n == Approx(15'000'000.0 / packet_time / 4).epsilon(0.01));
}

TEST_CASE("the link and the unit of a port share its crossbar output", "[pure][switch]") {
  SwitchBench::Config c = config(true);
  c.speedup = 1;  // the crossbar passes half of the traffic offered by source 0, for the link, and source 1, for the unit
  SwitchBench b(c);
  b.source = [&](unsigned port, unsigned vc) -> Packet* {
    if (vc != request_vc || port > 1) return nullptr;
    return b.packet(vc, 1u << 6, port == 0 ? Exit::link : Exit::stage);
  };
  unsigned consumed = 0;
  b.forwarding.unit = [&](unsigned, Packet* p, Tick, Tick) {
    p->release();
    ++consumed;
    return StageOutcome{};
  };
  b.run(12'000'000);
  CHECK(b.delivered.size() == Approx(1000).margin(50));
  CHECK(consumed == Approx(1000).margin(50));
}

TEST_CASE("uniform random traffic of both VCs passes at more than 95 % of line rate", "[pure][switch]") {
  SwitchBench b(config(GENERATE(true, false)));
  std::uint64_t n = 0;
  b.source = [&](unsigned port, unsigned vc) { return b.packet(vc, 1u << below(random_at(4, port * 2 + vc, ++n), 16)); };
  b.run(16'000'000);
  CHECK(b.throughput(0xFFFF, 4'000'000, 16'000'000) > 0.95);
}

TEST_CASE("reductions at all ports need a crossbar speedup of two", "[pure][switch]") {
  // Every source sends the operands of all blocks at line rate R, block k to the unit of port k mod 16. Each unit turns 16
  // operands into one result, which its port sends to all 16. A crossbar input thus carries R of operands and R/16 x 16 of
  // copies, U-turns included: 2 R. (Without the packets that stay at their port: 2 (p-1)/p, the paper's number.)
  const double speedup = GENERATE(1.0, 1.5, 2.0);
  SwitchBench::Config c = config(true);
  c.speedup = speedup;
  SwitchBench b(c);
  std::array<unsigned, 16> made{}, operands{};
  b.source = [&](unsigned port, unsigned vc) -> Packet* {
    return vc == request_vc ? b.packet(vc, 1u << made[port]++ % 16, Exit::stage) : nullptr;
  };
  b.forwarding.unit = [&](unsigned port, Packet* p, Tick, Tick) {
    p->release();
    StageOutcome outcome;
    if (++operands[port] % 16 == 0) outcome.inject = b.packet(response_vc, 0xFFFF);
    return outcome;
  };
  b.run(16'000'000);
  const double reached = b.throughput(0xFFFF, 6'000'000, 16'000'000);
  CHECK(reached <= speedup / 2 + 0.001);
  CHECK(reached > speedup / 2 * 0.85);  // the throughput of round-robin matching with finite queues
}

}  // namespace tributary::test_switch_core_load
