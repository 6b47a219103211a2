// EthernetSwitchCore against arithmetic: times, output ports, marks.
#include <catch2/catch.hpp>

#include "testbench/test/harness/ethernet_switch_bench.h"

namespace tributary::test_ethernet_switch_core {

using Bench = EthernetSwitchBench;

namespace {

// At 100 Gb/s: 1106 B of a frame, 86 B of an ACK, 72 B of preamble and headers.
constexpr Tick frame = 88'480, ack = 6'880, head = 5'760, wire = Bench::link_latency, through = 300'000;
// Times from the start at one station to the arrival of head and end at the other.
constexpr Tick to_head = head + wire + through + head + wire, to_end = head + wire + through + frame + wire;

std::vector<Tick> ends(const std::vector<Bench::Delivered>& delivered) {
  std::vector<Tick> times;
  for (const auto& d : delivered) times.push_back(d.tail);
  return times;
}

}  // namespace

TEST_CASE("Ethernet switch: one frame, cut through and stored", "[pure][ethernet_switch]") {
  Bench cut(Bench::plain(2));
  cut.send(0, 1, 1, 1'000'000);
  cut.run(3'000'000);
  REQUIRE(cut.delivered.size() == 1);
  CHECK(cut.delivered[0].port == 1);
  CHECK(cut.delivered[0].head == 1'000'000 + to_head);
  CHECK(cut.delivered[0].tail == 1'000'000 + to_end);
  EthernetSwitchConfig config = Bench::plain(2);
  config.cut_through = false;
  Bench stored(config);
  stored.send(0, 1, 1, 1'000'000);
  stored.run(3'000'000);
  CHECK(ends(stored.delivered) == std::vector<Tick>{1'000'000 + frame + wire + through + frame + wire});
  CHECK(stored.core->quiescent());
  CHECK(stored.pool.live() == 0);
}

TEST_CASE("Ethernet switch: frames that arrive simultaneously leave in the order of their ports, without a gap",
          "[pure][ethernet_switch]") {
  Bench bench(Bench::plain(5));
  for (unsigned p = 4; p-- > 0;) bench.send(p, 4, p, 1'000'000);
  bench.run(3'000'000);
  const auto out = bench.at(4);
  REQUIRE(out.size() == 4);
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(out[i].id == i);
    CHECK(out[i].tail == 1'000'000 + to_end + i * frame);
  }
}

TEST_CASE("Ethernet switch: disjoint flows do not affect each other", "[pure][ethernet_switch]") {
  Bench bench(Bench::plain(8));
  for (unsigned p = 0; p < 8; ++p)
    for (unsigned i = 0; i < 50; ++i) bench.send(p, (p + 3) % 8, i, 1'000'000);
  bench.run(10'000'000);
  for (unsigned p = 0; p < 8; ++p) {
    const auto out = bench.at(p);
    REQUIRE(out.size() == 50);
    for (unsigned i = 0; i < 50; ++i) CHECK(out[i].tail == 1'000'000 + to_end + i * frame);
  }
}

TEST_CASE("Ethernet switch: control frames have priority over data", "[pure][ethernet_switch]") {
  Bench bench(Bench::plain(3));
  for (unsigned i = 0; i < 10; ++i) bench.send(0, 2, i, 1'000'000);
  bench.send(1, 2, 100, 1'150'000, control_class);  // while the second frame is on the wire
  bench.run(5'000'000);
  const auto out = bench.at(2);
  REQUIRE(out.size() == 11);
  CHECK(out[2].id == 100);
  CHECK(out[2].tail == 1'000'000 + to_end + frame + ack);
  CHECK(out[3].tail == out[2].tail + frame);
}

TEST_CASE("Ethernet switch: between unequal rates a frame is stored", "[pure][ethernet_switch]") {
  EthernetSwitchConfig config = Bench::plain(2);
  config.rates[1] = 25_Gbps;
  Bench bench(config);
  bench.send(0, 1, 1, 1'000'000);
  bench.send(1, 0, 2, 1'000'000);
  bench.run(5'000'000);
  CHECK(ends(bench.at(1)) == std::vector<Tick>{1'000'000 + frame + wire + through + 4 * frame + wire});
  CHECK(ends(bench.at(0)) == std::vector<Tick>{1'000'000 + 4 * frame + wire + through + frame + wire});
}

TEST_CASE("Ethernet switch: a frame with a wrong FCS is forwarded by cut-through, and dropped if it is stored",
          "[pure][ethernet_switch]") {
  const auto run = [](bool cut_through, Bandwidth rate) {
    EthernetSwitchConfig config = Bench::plain(2);
    config.cut_through = cut_through;
    config.rates[1] = rate;
    Bench bench(config);
    bench.send(0, 1, 1, 1'000'000)->damage = fcs_wrong;
    bench.send(0, 1, 2, 1'000'000)->damage = icrc_wrong;
    bench.run(5'000'000);
    CHECK(bench.core->counters().fcs_errors == 2 - bench.delivered.size());
    CHECK(bench.pool.live() == 0);
    return bench.delivered;
  };
  const auto passed = run(true, 100_Gbps);
  REQUIRE(passed.size() == 2);
  CHECK(passed[0].damage == fcs_wrong);
  for (const auto& stored : {run(false, 100_Gbps), run(true, 50_Gbps)}) {
    REQUIRE(stored.size() == 1);
    CHECK(stored[0].id == 2);
  }
}

TEST_CASE("Ethernet switch: a rule sends frames to the accelerator, whose answers follow their route",
          "[pure][ethernet_switch]") {
  Bench bench(Bench::plain(3));
  bench.access.add(detour_rule(0, 1, 1u << 2, 2));
  bench.send(0, 1, 1, 1'000'000);
  roce(*bench.send(2, 1, 2, 2'000'000)).source = 0;  // the result
  bench.send(1, 0, 3, 1'000'000, control_class);
  bench.run(5'000'000);
  REQUIRE(bench.delivered.size() == 3);
  CHECK(bench.at(2).at(0).id == 1);
  CHECK(bench.at(1).at(0).id == 2);
  CHECK(bench.at(0).at(0).id == 3);
  CHECK(bench.core->counters().redirected == 1);
  CHECK(bench.access.hits(0) == 1);
}

TEST_CASE("Ethernet switch: a slow access list delays frames without reducing the rate", "[pure][ethernet_switch]") {
  for (const bool cut_through : {true, false}) {
    std::vector<Tick> times[2];
    for (const Tick lookup : {Tick{0}, Tick{200'000}}) {
      EthernetSwitchConfig config = Bench::plain(2);
      config.cut_through = cut_through;
      Bench bench(config);
      bench.access_time = lookup;
      for (unsigned i = 0; i < 20; ++i) bench.send(0, 1, i, 1'000'000, i % 3 == 0 ? control_class : roce_class);
      bench.run(8'000'000);
      times[lookup != 0] = ends(bench.delivered);
      CHECK(bench.core->quiescent());
    }
    REQUIRE(times[0].size() == 20);
    for (unsigned i = 0; i < 20; ++i) CHECK(times[1].at(i) == times[0][i] + 200'000);
  }
}

TEST_CASE("Ethernet switch: a frame whose lookup ends earlier does not overtake the previous frame",
          "[pure][ethernet_switch]") {
  Bench bench(Bench::plain(2));
  bench.access_time = 200'000;
  bench.send(0, 1, 1, 1'000'000);
  bench.send(0, 1, 2, 1'000'000);
  bench.run(1'350'000, 50'000);  // the first frame has been processed
  bench.access_time = 0;
  bench.run(5'000'000);
  CHECK(ends(bench.delivered) == std::vector<Tick>{1'200'000 + to_end, 1'200'000 + to_end + frame});
  REQUIRE(bench.delivered.size() == 2);
  CHECK(bench.delivered[0].id == 1);
}

TEST_CASE("Ethernet switch: ECN-capable frames are marked above the configured queue length", "[pure][ethernet_switch]") {
  EthernetSwitchConfig config = Bench::plain(4);
  config.ecn = {true, 5 * 1086, 5 * 1086 + 1, 1, 3};  // marks frames that find more than five in the queue
  Bench bench(config);
  for (unsigned p = 0; p < 3; ++p)
    for (unsigned i = 0; i < 40; ++i)
      roce(*bench.send(p, 3, p * 100 + i, 1'000'000 + p)).ecn = p == 2 ? 0 : static_cast<unsigned>(Ecn::capable) & 3u;
  bench.run(30'000'000);
  const auto out = bench.at(3);
  REQUIRE(out.size() == 120);
  unsigned marked = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Tick arrived = 1'000'000 + out[i].id / 100 + out[i].id % 100 * frame + head + wire + through;
    unsigned before = 0;  // frames in the queue: earlier ones that do not start before its arrival
    for (std::size_t j = 0; j < i; ++j) before += out[j].head - head - wire >= arrived;
    const bool expected = before > 5 && out[i].id < 200;
    CHECK((out[i].header.ecn == static_cast<unsigned>(Ecn::congested)) == expected);
    marked += expected;
  }
  CHECK(marked > 50);
  CHECK(bench.core->counters().marked == marked);
}

TEST_CASE("Ethernet switch: frames duplicated on the wire are not counted in its buffer", "[pure][ethernet_switch]") {
  struct Twice : FrameFaults {
    FrameFate fate(const Packet& f, Tick) override {
      return roce(f).address == 3 && !std::exchange(done, true) ? FrameFate::duplicate : FrameFate::deliver;
    }
    void begin(Tick) override {}
    bool done = false;
  } twice;
  Bench bench(Bench::plain(3));
  bench.links->set_faults(2, &twice);
  for (unsigned i = 0; i < 10; ++i) bench.send(0, 2, i, 1'000'000), bench.send(1, 2, 100 + i, 1'000'000);
  bench.run(10'000'000);
  CHECK(bench.at(2).size() == 21);
  CHECK(bench.core->counters().sent == 20);
  CHECK(bench.core->buffer().used() == 0);
}

TEST_CASE("Ethernet switch: more than 128 ports are refused, and so is a rule that leads beyond the last port",
          "[pure][ethernet_switch]") {
  CHECK_THROWS_AS(Bench(Bench::plain(129)), std::invalid_argument);
  Bench bench(Bench::plain(128));
  bench.send(127, 64, 1, 1'000'000);
  bench.run(3'000'000);
  CHECK(bench.at(64).size() == 1);
  Bench small(Bench::plain(2));
  small.access.add(detour_rule(0, 1, {}, 2));
  small.send(0, 1, 1, 1'000'000);
  CHECK_THROWS_AS(small.run(3'000'000), std::logic_error);
}

TEST_CASE("a router of a user chooses among the ports of a station, but not for frames with a rule",
          "[pure][ethernet_switch]") {
  struct Last : SwitchRouter {
    explicit Last(std::vector<Request>& all) : requests(all) {}
    std::size_t choose(const Request& r) const override { return requests.push_back(r), r.ports.size() - 1; }
    std::vector<Request>& requests;
  };
  std::vector<SwitchRouter::Request> requests;
  const RouterSeat router([&](const SwitchRouterConfig&) { return std::make_unique<Last>(requests); }, {"switch0", 4});
  EthernetSwitchConfig config = EthernetSwitchBench::plain(4);
  config.routes.set(9, {1, 2, 3});
  config.router = &router;
  EthernetSwitchBench bench(config);
  AccessRule rule;
  rule.source = 1;
  rule.redirect = 0;
  bench.access.add(rule);
  bench.send(0, 9, 1, 0);  // station 9 has three ports
  bench.send(2, 2, 2, 0);  // station 2 has one
  bench.send(1, 9, 3, 0);
  bench.run(2'000'000);
  REQUIRE(bench.delivered.size() == 3);
  CHECK((bench.at(3).size() == 1 && bench.at(3)[0].id == 1));
  CHECK((bench.at(2).size() == 1 && bench.at(2)[0].id == 2));
  CHECK((bench.at(0).size() == 1 && bench.at(0)[0].id == 3));
  REQUIRE(requests.size() == 1);
  CHECK((requests[0].input == 0 && requests[0].destination == 9 && !requests[0].to_switch));
  CHECK(requests[0].ports == std::vector<unsigned>{1, 2, 3});
}

}  // namespace tributary::test_ethernet_switch_core
