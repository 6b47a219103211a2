// Tests multicasts that the crossbar replicates (Klenk IV-A): one crossing reaches all free outputs that grant it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "testbench/test/harness/switch_bench.h"

namespace tributary::test_crossbar_replication {
namespace {

constexpr Tick latency = SwitchBench::switch_latency, hop = SwitchBench::hop, flit = SwitchBench::flit_time;
constexpr Tick packet_time = SwitchBench::packet_time;

SwitchBench::Config replicating(bool voq = true, double speedup = 2) {
  SwitchBench::Config c;
  c.virtual_output_queues = voq;
  c.speedup = speedup;
  c.crossbar_replicates = true;
  return c;
}

/// Headers that reach a port, by their input port.
std::map<unsigned, std::vector<Tick>> heads_at(const SwitchBench& b, unsigned port) {
  std::map<unsigned, std::vector<Tick>> heads;
  for (const auto& d : b.delivered)
    if (d.port == port) heads[d.header.source].push_back(d.head);
  return heads;
}

}  // namespace

TEST_CASE("a multicast to free outputs leaves by all of them simultaneously", "[pure][switch][replication]") {
  const double speedup = GENERATE(1.0, 2.0);
  SwitchBench b(replicating(GENERATE(true, false), speedup));
  b.send(0, b.packet(request_vc, 0xFFFE), 0);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 15);
  std::set<unsigned> ports;
  for (const auto& d : b.delivered) {
    ports.insert(d.port);
    CHECK(d.head == hop + latency + hop);
    CHECK(d.tail == d.head + 8 * flit);
  }
  CHECK((ports.size() == 15 && ports.count(0) == 0));
  // One crossing ends with the tail at the earliest; then its buffer space is free.
  REQUIRE(b.returned.size() == 1);
  CHECK(b.returned[0].when == hop + latency + std::max<Tick>(speedup == 1.0 ? packet_time : packet_time / 2, 8 * flit));
  CHECK(b.pool.live() == 0);
}

TEST_CASE("back-to-back multicasts leave back to back by every output", "[pure][switch][replication]") {
  SwitchBench b(replicating(GENERATE(true, false)));
  for (unsigned i = 0; i < 50; ++i) b.send(3, b.packet(i % 2, 0xFFFF), 0);
  REQUIRE(b.run_dry());
  for (unsigned p = 0; p < 16; ++p) {
    const std::vector<Tick> heads = heads_at(b, p)[3];
    REQUIRE(heads.size() == 50);
    for (unsigned i = 0; i < 50; ++i) CHECK(heads[i] == 2 * hop + latency + i * packet_time);
  }
}

TEST_CASE("a busy output gets its copy in a later crossing, and does not delay the others", "[pure][switch][replication]") {
  SwitchBench b(replicating(true, 1));
  b.send(1, b.packet(request_vc, 1u << 2), 0);               // crosses for 9 flits from hop + latency on
  b.send(0, b.packet(request_vc, 1u << 2 | 1u << 3), flit);  // arrives one flit time later
  REQUIRE(b.run_dry());
  const Tick start = hop + latency;
  CHECK(heads_at(b, 3)[0] == std::vector<Tick>{start + flit + hop});
  CHECK(heads_at(b, 2)[1] == std::vector<Tick>{start + hop});
  // Output 2 is free 9 flits after the start; its input, which crosses to output 3, is free one flit later.
  CHECK(heads_at(b, 2)[0] == std::vector<Tick>{start + flit + packet_time + hop});
  for (const auto& r : b.returned) CHECK(r.when == start + packet_time + (r.port == 0 ? flit + packet_time : 0));
  CHECK(b.returned.size() == 2);
}

TEST_CASE("a stream of multicasts and a stream for one of its outputs share that output", "[pure][switch][replication]") {
  SwitchBench b(replicating());
  b.source = [&](unsigned port, unsigned vc) -> Packet* {
    if (vc != request_vc || port > 1) return nullptr;
    return b.packet(vc, port == 0 ? 1u << 2 | 1u << 3 : 1u << 2);
  };
  b.run(40'000'000);
  const auto since = [](const std::vector<Tick>& heads) {
    return static_cast<double>(std::count_if(heads.begin(), heads.end(), [](Tick t) { return t >= 20'000'000; }));
  };
  const double of_multicast = since(heads_at(b, 2)[0]), of_other = since(heads_at(b, 2)[1]);
  const double all = 20'000'000.0 / packet_time;
  CHECK(of_multicast + of_other >= all - 1);  // the output is never idle
  // Half each, except when output 2 is requested while the multicast crosses to output 3 only.
  CHECK(of_multicast > 0.45 * all);
  CHECK(of_other > 0.45 * all);
  b.source = nullptr;
}

TEST_CASE("multicasts of two inputs to the same outputs keep all of them busy", "[pure][switch][replication]") {
  SwitchBench b(replicating(GENERATE(true, false)));
  for (unsigned i = 0; i < 40; ++i)
    for (unsigned p = 0; p < 2; ++p) b.send(p, b.packet(request_vc, 0xFFF0), 0);
  REQUIRE(b.run_dry());
  for (unsigned p = 4; p < 16; ++p) {
    std::vector<Tick> heads;
    for (const auto& d : b.delivered)
      if (d.port == p) heads.push_back(d.head);
    REQUIRE(heads.size() == 80);
    CHECK(*std::max_element(heads.begin(), heads.end()) == 2 * hop + latency + 79 * packet_time);
  }
}

}  // namespace tributary::test_crossbar_replication
