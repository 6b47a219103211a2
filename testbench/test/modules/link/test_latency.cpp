#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "modules/base/random.h"
#include "modules/protocol/nvlink.h"
#include "testbench/observe/packet_latency.h"
#include "testbench/observe/wire_latency.h"

namespace tributary::test_latency {

TEST_CASE("quantiles agree with a sorted list within a hundredth", "[pure]") {
  LatencyHistogram h;
  std::vector<Tick> all;
  const std::uint64_t scale = GENERATE(300u, 700'000u, 40'000'000u);
  double sum = 0;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    const Tick t = scale + below(random_at(3, scale, i), scale << (i % 7));
    h.record(t);
    all.push_back(t);
    sum += static_cast<double>(t);
  }
  std::sort(all.begin(), all.end());
  for (const double q : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const std::size_t rank = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(q * 50'000)));
    const auto exact = static_cast<double>(all[rank - 1]);
    CAPTURE(q, exact);
    REQUIRE(std::abs(static_cast<double>(h.quantile(q)) - exact) <= exact / 128);
  }
  REQUIRE(h.count() == 50'000);
  REQUIRE(h.mean() == sum / 50'000);
  REQUIRE(h.min() == all.front());
  REQUIRE(h.max() == all.back());
}

TEST_CASE("a histogram holds every duration within its relative error", "[pure]") {
  std::vector<Tick> values{0, 1, 127, 128, 129, 255, 256, 257, 1'000'000, never - 1, never};
  for (unsigned b = 7; b < 64; ++b)
    for (const Tick around : {Tick{1} << b, (Tick{1} << b) - 1, Tick{3} << (b - 1)}) values.push_back(around);
  for (const Tick v : values) {
    LatencyHistogram h;
    h.record(v / 2);
    h.record(v);
    h.record(v);
    h.record(v > never / 2 ? never : 2 * v);
    const Tick got = h.quantile(0.5);
    CAPTURE(v, got);
    REQUIRE((got > v ? got - v : v - got) <= v / 128);
  }
}

TEST_CASE("small latencies are exact, and reset clears the histogram", "[pure]") {
  LatencyHistogram h;
  REQUIRE(h.quantile(0.99) == 0);
  REQUIRE(h.mean() == 0);
  REQUIRE(h.min() == 0);
  for (Tick t = 1; t <= 100; ++t) h.record(t);
  REQUIRE(h.quantile(0.99) == 99);
  REQUIRE(h.quantile(1) == 100);
  REQUIRE(h.mean() == 50.5);
  h.reset();
  REQUIRE(h.count() == 0);
  REQUIRE(h.max() == 0);
  h.record(7);
  REQUIRE(h.quantile(0.5) == 7);
  REQUIRE(h.min() == 7);
  h.record(9);
  h.record(11);
  REQUIRE(h.quantile(0.5) == 9);  // two of three
  REQUIRE(h.quantile(0.3) == 7);
}

TEST_CASE("packet latency is the time from the request to the delivery", "[pure]") {
  PacketProbe a, b, sent;
  ProbeDirectory directory;
  directory.add("dgx2.gpu0.delivered", a, "packet");
  directory.add("dgx2.gpu1.delivered", b, "packet");
  directory.add("dgx2.gpu1.port0.link.sent", sent, "packet");
  PacketLatency latency;
  REQUIRE(latency.attach(directory) == 2);
  PacketView p;
  p.born = 1000;
  a(1100, p);
  b(1300, p);
  sent(1050, p);
  REQUIRE(latency.histogram().count() == 2);
  REQUIRE(latency.histogram().mean() == 200);
  latency.reset();
  REQUIRE(latency.histogram().count() == 0);
}

TEST_CASE("wire latency begins with the first serialisation, whatever storage the packet has", "[pure][latency]") {
  WireLatency latency;
  PacketProbe gpu_link, switch_link, delivered;
  latency.attach_sent(gpu_link);
  latency.attach_sent(switch_link);
  latency.attach_delivered(delivered);
  PacketView packet;
  packet.storage = &packet;
  packet.born = 100;
  gpu_link(250, packet);
  switch_link(400, packet);  // a later hop
  delivered(550, packet);    // 300 after the first
  delivered(750, packet);    // another copy: 500
  packet.born = 800;         // a table has made it the result
  delivered(900, packet);    // never sent, so not counted
  switch_link(1000, packet);
  delivered(1100, packet);  // 100
  CHECK(latency.histogram().count() == 3);
  CHECK(latency.histogram().mean() == Approx(300));
  CHECK(latency.histogram().min() == 100);
  latency.reset();
  CHECK(latency.histogram().count() == 0);
}

// In windows the links of a device run one after another, some of them a window later.
TEST_CASE("wire latency begins with the earliest copy, in whatever order copies are seen", "[pure][latency]") {
  WireLatency latency;
  PacketProbe late_port, early_port, delivered;
  for (PacketProbe* probe : {&late_port, &early_port}) latency.attach_sent(*probe);
  latency.attach_delivered(delivered);
  PacketView packet;
  packet.storage = &packet;
  packet.born = 100;
  late_port(300, packet);
  delivered(500, packet);
  early_port(250, packet);
  late_port(400, packet);
  delivered(550, packet);
  for (int reading = 0; reading < 2; ++reading) {
    CHECK(latency.histogram().count() == 2);
    CHECK(latency.histogram().min() == 250);
    CHECK(latency.histogram().max() == 300);
  }
}

TEST_CASE("wire latency distinguishes packets of equal birth that use the same storage in turn", "[pure][latency]") {
  WireLatency latency;
  PacketProbe link, delivered;
  PacketPool pool{NvLink{}};
  latency.attach_made(pool.made);
  latency.attach_sent(link);
  latency.attach_delivered(delivered);
  const Packet* storage = nullptr;
  for (const Tick sent : {1000, 2000, 3000}) {  // packets of one chunk
    Packet* const packet = pool.make(128, false);
    CHECK((storage == nullptr || packet == storage));
    storage = packet;
    packet->born = 500;
    link(sent, view_of<NvLink>(*packet));
    delivered(sent + 171, view_of<NvLink>(*packet));
    packet->release();
  }
  CHECK(latency.histogram().count() == 3);
  CHECK(latency.histogram().min() == 171);
  CHECK(latency.histogram().max() == 171);
}

}  // namespace tributary::test_latency
