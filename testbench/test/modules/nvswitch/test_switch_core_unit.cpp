// Tests egress stages of the switch: claims, service at line rate, emitted packets, and the replication buffer
// (docs/systems/klenk.md#replication).
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "testbench/test/harness/switch_bench.h"

namespace tributary::test_switch_core_unit {
namespace {

constexpr Tick hop = SwitchBench::hop, latency = SwitchBench::switch_latency, packet_time = SwitchBench::packet_time;

Packet* claiming(SwitchBench& b, unsigned vc, std::uint32_t outputs) {
  Packet* p = b.packet(vc, outputs);
  p->header<TestHeader>().needs_entry = true;
  return p;
}
std::vector<std::uint32_t> ids_at(const SwitchBench& b, unsigned port) {
  std::vector<std::uint32_t> ids;
  for (const auto& d : b.delivered)
    if (d.port == port) ids.push_back(d.header.id);
  return ids;
}

}  // namespace

TEST_CASE("a refused claim stalls its queue until the unit of its port frees an entry", "[pure][switch]") {
  SwitchBench::Config c;
  c.virtual_output_queues = GENERATE(true, false);
  SwitchBench b(c);
  unsigned entries = 0, asked = 0;
  b.forwarding.claimed = [&](unsigned port, const Packet&) {
    CHECK(port == 2);
    ++asked;
    return entries > 0 && entries-- > 0;
  };
  b.forwarding.unit = [](unsigned, Packet* p, Tick, Tick) {
    p->release();
    StageOutcome o;
    o.frees_entry = true;
    return o;
  };
  b.forwarding.finished = [&](unsigned, Tick) { ++entries; };
  b.send(2, claiming(b, request_vc, 1u << 7), 0);  // 0
  b.send(2, b.packet(request_vc, 1u << 8), 0);     // 1, after it
  b.send(2, b.packet(response_vc, 1u << 8), 0);    // 2, on the other VC
  b.run(1'000'000);
  CHECK(ids_at(b, 7).empty());
  CHECK(ids_at(b, 8) == std::vector<std::uint32_t>{2});
  CHECK(asked == 1);  // not asked again without a change
  CHECK(b.core().waiting() ==
        std::vector<std::string>{"port2.input.vc0: 2 packets, the first waits for a free entry of port2.table"});
  const Tick start = b.now();
  b.send(5, b.packet(response_vc, 1u << 2, Exit::stage), start);
  b.send(6, b.packet(response_vc, 1u << 3, Exit::stage), start);  // frees an entry at another port
  REQUIRE(b.run_dry());
  CHECK(asked == 2);
  CHECK(ids_at(b, 8) == std::vector<std::uint32_t>{2, 1});
  // The unit has served its packet 9 flit times after its crossing; the stalled one crosses then.
  const auto stalled = std::find_if(b.delivered.begin(), b.delivered.end(), [](const auto& d) { return d.port == 7; });
  REQUIRE(stalled != b.delivered.end());
  CHECK(stalled->head == start + hop + latency + packet_time + hop);
}

TEST_CASE("after the first claim of a port, one of its VCs may wait without the other", "[pure][switch]") {
  SwitchBench::Config c;
  c.virtual_output_queues = GENERATE(true, false);
  SwitchBench b(c);
  bool free = false;
  b.forwarding.claimed = [&](unsigned, const Packet&) { return free; };
  b.forwarding.unit = [](unsigned, Packet* p, Tick, Tick) {
    p->release();
    StageOutcome o;
    o.frees_entry = true;
    return o;
  };
  for (unsigned i = 0; i < 2; ++i) {
    b.send(2, b.packet(response_vc, 1u << 8), 0);  // 0, 2
    b.send(2, b.packet(request_vc, 1u << 9), 0);   // 1, 3
  }
  b.run(100'000);
  CHECK(b.core().waiting() == std::vector<std::string>{"port2.input.vc0: 2 packets", "port2.input.vc1: 2 packets"});
  b.send(2, claiming(b, request_vc, 1u << 7), b.now());  // 4
  b.send(2, b.packet(request_vc, 1u << 8), b.now());     // 5, after it
  b.send(2, b.packet(response_vc, 1u << 9), b.now());    // 6, on the other VC
  b.run(1'000'000);
  CHECK(ids_at(b, 7).empty());
  CHECK(ids_at(b, 8) == std::vector<std::uint32_t>{0, 2});
  CHECK(ids_at(b, 9) == std::vector<std::uint32_t>{1, 3, 6});
  free = true;
  b.send(5, b.packet(response_vc, 1u << 2, Exit::stage), b.now());  // frees an entry
  REQUIRE(b.run_dry());
  CHECK(ids_at(b, 7) == std::vector<std::uint32_t>{4});
  CHECK(ids_at(b, 8) == std::vector<std::uint32_t>{0, 2, 5});
}

TEST_CASE("a unit serves packets in sequence at line rate, and its full queue blocks further ones", "[pure][switch]") {
  SwitchBench::Config c;
  c.stage_queue_flits = 27;
  SwitchBench b(c);
  std::vector<Tick> starts;
  b.forwarding.unit = [&](unsigned port, Packet* p, Tick start, Tick end) {
    CHECK(port == 5);
    CHECK(end >= start + packet_time);
    starts.push_back(start);
    p->release();
    return StageOutcome{};
  };
  ProbeDirectory directory;
  b.core().describe(directory, "s");
  std::uint64_t peak = 0;
  static_cast<SignalProbe*>(directory.entries().at("s.port5.table.queue").probe)
      ->attach(&peak, [](void* o, Tick, std::uint64_t v) {
        auto* p = static_cast<std::uint64_t*>(o);
        *p = std::max(*p, v);
      });
  for (unsigned i = 0; i < 48; ++i) b.send(i % 16, b.packet(request_vc, 1u << 5, Exit::stage), 0);
  REQUIRE(b.run_dry());
  REQUIRE(starts.size() == 48);
  CHECK(starts[0] == hop + latency);
  for (unsigned i = 1; i < 48; ++i) CHECK(starts[i] == starts[0] + i * packet_time);
  CHECK(peak == 27);
  CHECK(b.delivered.empty());
}

TEST_CASE("a packet through a unit to the link bypasses it, or leaves when served, or is merged", "[pure][switch]") {
  SwitchBench::Config c;
  c.output_flits = 9;  // room for one packet: a merged one must return its room
  SwitchBench b(c);
  b.forwarding.unit = [](unsigned, Packet* p, Tick, Tick) {
    StageOutcome o;
    switch (p->header<TestHeader>().id) {
      case 0:
        o.bypass = p;
        break;
      case 4:
        o.link = p, o.frees_entry = true;
        break;
      default:
        p->release();
    }
    return o;
  };
  const Tick gap = 100'000;
  for (unsigned i = 0; i < 5; ++i) b.send(i, b.packet(response_vc, 1u << 9, Exit::stage_and_link), i * gap);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 2);
  CHECK(b.delivered[0].head == 2 * hop + latency);
  CHECK(b.delivered[1].header.id == 4);
  CHECK(b.delivered[1].head == 4 * gap + 2 * hop + latency + packet_time);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("packets that a unit emits leave when its operand is served, or immediately", "[pure][switch]") {
  const bool at_once = GENERATE(true, false);
  SwitchBench b({});
  b.forwarding.unit = [&](unsigned, Packet* p, Tick, Tick) {
    p->release();
    StageOutcome o;
    o.inject = b.packet(response_vc, 1u << 1 | 1u << 3);
    o.inject_at_once = at_once;
    return o;
  };
  b.send(0, b.packet(request_vc, 1u << 4, Exit::stage), 0);
  REQUIRE(b.run_dry());
  REQUIRE(b.delivered.size() == 2);
  const Tick emitted = hop + latency + (at_once ? 0 : packet_time);
  // The port has one crossbar input, twice as fast as a link.
  CHECK(std::set<Tick>{b.delivered[0].head, b.delivered[1].head} == std::set<Tick>{emitted + hop, emitted + 2880 + hop});
  CHECK(std::set<unsigned>{b.delivered[0].port, b.delivered[1].port} == std::set<unsigned>{1, 3});
}

TEST_CASE("a full replication buffer stalls the unit of its port, but not responses", "[pure][switch]") {
  SwitchBench::Config c;
  c.replication_flits = 18;
  c.output_flits = c.sink_flits = 9;
  SwitchBench b(c);
  unsigned served = 0;
  b.forwarding.unit = [&](unsigned, Packet* p, Tick, Tick) {
    p->release();
    ++served;
    StageOutcome o;
    o.inject = b.packet(request_vc, 1u << 1);
    return o;
  };
  b.closed_sinks = 1u << 1;
  for (unsigned i = 0; i < 12; ++i) b.send(0, b.packet(request_vc, 1u << 4, Exit::stage), 0);
  b.run(2'000'000);
  CHECK(b.delivered.size() == 1);  // one in the sink, one in the output queue, two in the replication buffer
  CHECK(served == 4);
  const Tick start = b.now();
  b.send(4, b.packet(response_vc, 1u << 4), start);
  b.run(start + 400'000);
  REQUIRE(b.delivered.size() == 2);
  CHECK(b.delivered[1].head == start + 2 * hop + latency);
  const std::vector<std::string> lines = b.core().waiting();
  CHECK(std::count(lines.begin(), lines.end(), "port4.table: 8 operands wait, the replication buffer is full") == 1);
  b.open_sinks();
  REQUIRE(b.run_dry());
  CHECK(served == 12);
  CHECK(ids_at(b, 1).size() == 12);
  CHECK(b.pool.live() == 0);
}

TEST_CASE("an entry leaves at its timeout", "[pure][switch]") {
  SwitchBench b({});
  const Tick due = 1'234'567;
  b.forwarding.unit = [&](unsigned port, Packet* p, Tick, Tick) {
    p->release();
    b.forwarding.timeouts[port] = due;
    return StageOutcome{};
  };
  b.forwarding.expires = [&](unsigned port, Tick now) {
    CHECK((port == 6 && now == due));
    b.forwarding.timeouts[port] = never;
    return Expired{b.packet(response_vc, 1u << 3)};
  };
  b.send(0, b.packet(request_vc, 1u << 6, Exit::stage), 0);
  REQUIRE(b.run_dry(10'000'000));
  b.run(2'000'000);
  REQUIRE(b.delivered.size() == 1);
  CHECK(b.delivered[0].port == 3);
  CHECK(b.delivered[0].head == due + hop);
}

TEST_CASE("entries that time out while the replication buffer is full leave when it has room", "[pure][switch]") {
  SwitchBench::Config c;
  c.replication_flits = 9;
  c.output_flits = c.sink_flits = 9;
  SwitchBench b(c);
  unsigned left = 6;
  b.forwarding.unit = [&](unsigned port, Packet* p, Tick start, Tick) {
    p->release();
    b.forwarding.timeouts[port] = start + 50'000;
    return StageOutcome{};
  };
  b.forwarding.expires = [&](unsigned port, Tick) {
    if (--left == 0) b.forwarding.timeouts[port] = never;
    return Expired{b.packet(response_vc, 1u << 3)};
  };
  b.closed_sinks = 1u << 3;
  b.send(0, b.packet(request_vc, 1u << 6, Exit::stage), 0);
  b.run(1'000'000);
  CHECK(left == 3);  // one in the sink, one in the queue, one in the replication buffer
  b.open_sinks();
  REQUIRE(b.run_dry());
  CHECK(left == 0);
  CHECK(ids_at(b, 3).size() == 6);
}

TEST_CASE("a packet that ends in the switch crosses, and returns its buffer space", "[pure][switch]") {
  SwitchBench b({});
  b.send(0, b.packet(response_vc, 1u << 6, Exit::drop, 0), 0);
  b.run(100'000);
  CHECK(b.pool.live() == 0);  // only its place in the queue still has to cross
  CHECK(b.returned.empty());
  CHECK(b.core().waiting() == std::vector<std::string>{"port0.input.vc1: 1 packets"});
  REQUIRE(b.run_dry());
  CHECK(b.delivered.empty());
  CHECK(b.returned.size() == 1);
  CHECK(b.pool.live() == 0);
}

}  // namespace tributary::test_switch_core_unit
