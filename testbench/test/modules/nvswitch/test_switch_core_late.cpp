// Tests packets that leave an egress stage later than their operands: latency costs no rate, packets keep their order and
// their room (docs/blocks/switch.md#egress-stage).
#include <algorithm>
#include <catch2/catch.hpp>

#include "testbench/test/harness/switch_bench.h"

namespace tributary::test_switch_core_late {
namespace {

using Catch::Matchers::StartsWith;

constexpr Tick hop = SwitchBench::hop, packet_time = SwitchBench::packet_time, first = hop + SwitchBench::switch_latency;
constexpr Tick crossing = packet_time / 2;  // the crossbar is twice as fast as a link

/// A unit at port 4 that injects a packet for each of its operands, with the timing of `outcome`.
struct Bench : SwitchBench {
  explicit Bench(const Config& config = roomy()) : SwitchBench(config) {
    forwarding.unit = [this](unsigned, Packet* p, Tick start, Tick) {
      StageOutcome o = outcome(static_cast<unsigned>(starts.size()));
      starts.push_back(start);
      TestHeader& h = p->header<TestHeader>();
      h.exit = Exit::link, h.outputs = 1u << (8 + h.id % 8);
      o.inject = p;
      return o;
    };
    forwarding.finished = [this](unsigned port, Tick now) {
      CHECK(port == 4);
      finishes.push_back(now);
    };
  }
  static Config roomy() {
    Config c;
    c.replication_flits = 400 * 9;
    return c;
  }
  /// Sends operands back to back; returns the times at which the heads of their results arrive, in the order of the
  /// operands.
  std::vector<Tick> results(unsigned operands, unsigned payload = block_bytes) {
    for (unsigned i = 0; i < operands; ++i) send(i % 4, packet(request_vc, 1u << 4, Exit::stage, payload), 0);
    REQUIRE(run_dry());
    CHECK(pool.live() == 0);
    std::sort(delivered.begin(), delivered.end(), [](const Delivery& a, const Delivery& b) { return a.head < b.head; });
    std::vector<Tick> heads;
    for (const Delivery& d : delivered) heads.push_back(d.head);
    return heads;
  }

  std::function<StageOutcome(unsigned operand)> outcome;
  std::vector<Tick> starts, finishes;
};

StageOutcome late(Tick latency, Tick interval = 0) {
  StageOutcome o;
  o.latency = latency, o.interval = interval;
  o.frees_entry = true;
  return o;
}

}  // namespace

TEST_CASE("late packets leave by their latency later, and the stage keeps its rate", "[pure][switch]") {
  const Tick latency = GENERATE(as<Tick>(), 0, 1, 640, 10'000, 1'000'000);
  Bench b;
  b.outcome = [&](unsigned) { return late(latency); };
  const std::vector<Tick> heads = b.results(20);
  REQUIRE(heads.size() == 20);
  for (unsigned i = 0; i < 20; ++i) {
    CHECK(b.starts[i] == first + i * packet_time);
    CHECK(b.finishes.at(i) == first + (i + 1) * packet_time + latency);
    CHECK(heads[i] == b.finishes[i] + hop);
  }
}

TEST_CASE("an interval lengthens the service of an operand, and its packet leaves at the end", "[pure][switch]") {
  Bench b;
  b.outcome = [](unsigned) { return late(7'000, 10'000); };
  const std::vector<Tick> heads = b.results(5);
  for (unsigned i = 0; i < 5; ++i) {
    CHECK(b.starts[i] == first + i * (packet_time + 10'000));
    CHECK(heads.at(i) == first + (i + 1) * (packet_time + 10'000) + 7'000 + hop);
  }
}

TEST_CASE("packets of a stage leave in the order of their operands", "[pure][switch]") {
  Bench b;
  b.outcome = [](unsigned operand) {
    StageOutcome o = late(operand == 0 ? 100'000 : operand == 1 ? 0 : 110'000);
    o.inject_at_once = operand == 1;  // evicted
    return o;
  };
  const std::vector<Tick> heads = b.results(3);
  const Tick due = first + packet_time + 100'000;
  // The second one waits for the first, and then for the port's one crossbar input; the third one is not late by itself.
  CHECK(heads == std::vector<Tick>{due + hop, due + crossing + hop, first + 3 * packet_time + 110'000 + hop});
  CHECK(b.finishes == std::vector<Tick>{due, due, first + 3 * packet_time + 110'000});
}

TEST_CASE("a late packet keeps its room in the replication buffer, which limits the rate", "[pure][switch]") {
  const Tick latency = GENERATE(as<Tick>(), 0, 10'000, 100'000);
  const unsigned packets = GENERATE(1u, 2u, 3u, 4u, 20u);
  Bench::Config c = Bench::roomy();
  c.replication_flits = packets * 9;
  Bench b(c);
  b.outcome = [&](unsigned) { return late(latency); };
  b.results(24);
  // Room is free again when the packet has been served, has waited and has crossed.
  for (unsigned i = 0; i < 24; ++i) {
    Tick start = i == 0 ? first : b.starts[i - 1] + packet_time;
    if (i >= packets) start = std::max(start, b.starts[i - packets] + packet_time + latency + crossing);
    CHECK(b.starts.at(i) == start);
  }
  const bool full_rate = b.starts.back() == first + 23 * packet_time;
  CHECK(full_rate == (packets >= 1 + (latency + crossing + packet_time - 1) / packet_time));
}

TEST_CASE("a short late packet frees a part of its room when it leaves", "[pure][switch]") {
  Bench::Config c = Bench::roomy();
  c.replication_flits = 10;  // room for a packet, and for a flit after it
  Bench b(c);
  b.outcome = [](unsigned) { return late(10'000); };
  b.results(3, 0);  // one flit
  for (unsigned i = 1; i < 3; ++i) CHECK(b.starts.at(i) == b.starts[i - 1] + 640 + 10'000);
}

TEST_CASE("a late packet for the link keeps its room in the output queue", "[pure][switch]") {
  SwitchBench::Config c;
  c.output_flits = 9;  // room for one packet
  SwitchBench b(c);
  std::vector<Tick> starts;
  const bool bypass = GENERATE(true, false);
  b.forwarding.unit = [&](unsigned, Packet* p, Tick start, Tick) {
    starts.push_back(start);
    StageOutcome o;
    (bypass ? o.bypass : o.link) = p;
    o.latency = 50'000;
    return o;
  };
  for (unsigned i = 0; i < 3; ++i) b.send(i, b.packet(response_vc, 1u << 9, Exit::stage_and_link), 0);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 3);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(b.delivered[i].head == starts.at(i) + (bypass ? 0 : packet_time) + 50'000 + hop);
    // The packet before it has left the queue, which becomes known 1 ps later.
    if (i > 0) CHECK(starts[i] == b.delivered[i - 1].head - hop + 1);
  }
  CHECK(b.pool.live() == 0);
}

TEST_CASE("acks pass a stage without waiting for late packets", "[pure][switch]") {
  SwitchBench b({});
  b.forwarding.unit = [&](unsigned, Packet* p, Tick, Tick) {
    StageOutcome o;
    o.unordered = p->header<TestHeader>().id == 1;
    o.latency = o.unordered ? 0 : 50'000;
    o.bypass = p;
    return o;
  };
  for (unsigned i = 0; i < 2; ++i) b.send(0, b.packet(response_vc, 1u << 9, Exit::stage_and_link), 0);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 2);
  CHECK(b.delivered[0].header.id == 1);
  CHECK(b.delivered[0].head == first + packet_time + hop);
  CHECK(b.delivered[1].head == first + 50'000 + hop);
}

TEST_CASE("an entry that times out leaves by its latency later, after packets that are late", "[pure][switch]") {
  const Tick latency = GENERATE(as<Tick>(), 0, 30'000);
  Bench b;
  const Tick due = 300'000;
  b.outcome = [&](unsigned) {
    b.forwarding.timeouts[4] = due;
    return late(200'000);
  };
  b.forwarding.expires = [&](unsigned port, Tick now) {
    CHECK((port == 4 && now == due));
    b.forwarding.timeouts[port] = never;
    return Expired{b.packet(response_vc, 1u << 3), latency};
  };
  b.send(0, b.packet(request_vc, 1u << 4, Exit::stage), 0);
  b.run(1'000'000);
  REQUIRE(b.delivered.size() == 2);
  const Tick result = first + packet_time + 200'000;
  const bool expired_first = b.delivered[0].port == 3;
  const SwitchBench::Delivery &expired = b.delivered[expired_first ? 0 : 1], &sum = b.delivered[expired_first ? 1 : 0];
  CHECK(sum.head == result + hop);
  CHECK(expired.port == 3);
  CHECK(expired.head == result + crossing + hop);  // due before, at 300 or 330 ns
}

TEST_CASE("late packets are reported, and a reset releases them", "[pure][switch]") {
  Bench b;
  b.outcome = [](unsigned) { return late(20'000'000); };
  for (unsigned i = 0; i < 2; ++i) {
    Packet* p = b.packet(request_vc, 1u << 4, Exit::stage);
    b.send(i, p, 0);
  }
  b.run(1'000'000);
  const std::vector<std::string> lines = b.core().waiting();
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], StartsWith("port4.table: a packet of block "));
  CHECK(lines[0].find(" leaves at 20.2us of the simulation, the first of 2") != std::string::npos);
  b.reset();
  CHECK(b.core().quiescent());
  CHECK(b.pool.live() == 0);
}

}  // namespace tributary::test_switch_core_late
