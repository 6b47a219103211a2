// DatagramSource on a link.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>

#include "modules/ethernet/core/datagram_source.h"

namespace tributary::test_datagram_source {
namespace {

/// One link of 100 Gb/s that a source feeds and pauses stall.
struct Bench : private LinkOutput {
  explicit Bench(const DatagramSource::Config& config) {
    EthernetLinks::Transmitter::Config link;
    link.link.rate = 100_Gbps;
    link.link.latency = 10_ns;
    link.flow_control = {0, 5'120};
    transmitter = std::make_unique<EthernetLinks::Transmitter>(link);
    links = std::make_unique<EthernetLinks>(std::vector{transmitter.get()}, static_cast<LinkOutput&>(*this), pool);
    source = std::make_unique<DatagramSource>(config, *links, 0, pool);
  }
  void run(Tick until, Tick step) {
    for (Tick now = 0; now < until;) {
      now = std::min(until, now + step);
      source->run(now);
      links->finish(now, false, [](unsigned, const EthernetLinks::Sent&) {});
    }
  }
  void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick) override {
    for (const LinkArrival* a = packets; a != packets + count; ++a) {
      starts.push_back(first + a->after - (*links)[port].head_latency());
      ++received[roce(*a->packet).destination];
      in_order = in_order && roce(*a->packet).psn == expected++;
      a->packet->release();
    }
  }
  void return_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override {}

  PacketPool pool{EthernetLink{}};
  std::unique_ptr<EthernetLinks::Transmitter> transmitter;
  std::unique_ptr<EthernetLinks> links;
  std::unique_ptr<DatagramSource> source;
  std::vector<Tick> starts;
  std::map<unsigned, unsigned> received;
  std::uint32_t expected = 0;
  bool in_order = true;
};

DatagramSource::Config config(Bandwidth rate) {
  DatagramSource::Config c;
  c.station = 3;
  c.destinations = {5};
  c.rate = rate;
  c.payload = 1024;  // 1090 B on the wire
  return c;
}

}  // namespace

TEST_CASE("datagram source: even gaps at its rate, without drift", "[pure][ethernet]") {
  DatagramSource::Config c = config(bytes_per_second(3'000'000'000));  // 363.333 ns a frame
  c.count = 1'000;
  Bench bench(c);
  bench.source->start(1'000'000);
  bench.run(400'000'000, 70'000);
  REQUIRE(bench.starts.size() == 1'000);
  for (Tick i = 0; i < 1'000; ++i) REQUIRE(bench.starts[i] == 1'000'000 + i * 1'090'000 / 3);
  CHECK(bench.received[5] == 1'000);
  CHECK(bench.source->next() == never);
  CHECK(bench.in_order);
  CHECK(bench.pool.live() == 0);
}

TEST_CASE("datagram source: random gaps have the mean of the rate, and are the same however time advances",
          "[pure][ethernet]") {
  DatagramSource::Config c = config(2_GBps);
  c.gaps = DatagramSource::Gaps::random;
  c.count = 4'000;
  c.destinations = {5, 6, 7};
  std::vector<Tick> first;
  for (const Tick step : {Tick{9'000}, Tick{300'000}}) {
    Bench bench(c);
    bench.source->start(1'000'000);
    bench.run(4'000'000'000, step);
    REQUIRE(bench.starts.size() == 4'000);
    const double mean = static_cast<double>(bench.starts.back() - 1'000'000) / 4'000;
    CHECK(std::abs(mean - 545'000) < 5 * 545'000 / std::sqrt(3 * 4'000));
    CHECK(bench.received[6] > 1'200);
    if (first.empty()) first = bench.starts;
    CHECK(bench.starts == first);
  }
}

TEST_CASE("datagram source: datagrams are skipped while the queue of a slower or paused link is full", "[pure][ethernet]") {
  DatagramSource::Config c = config(50_GBps);  // one frame each 21.8 ns, and the link needs 87.2 ns
  c.queue = 4;
  c.count = 2'000;
  std::vector<Tick> first;
  for (const Tick step : {Tick{9'000}, Tick{300'000}}) {
    Bench bench(c);
    bench.source->start(1'000'000);
    bench.links->pause(0, background_class, 1'000, 3'000'000);  // in effect until 8 120 000
    bench.run(60'000'000, step);
    CHECK(bench.source->made() + bench.source->skipped() == 2'000);
    CHECK(bench.source->made() == bench.starts.size());
    // 43.6 us of frames, and the link is paused for 5.12 us of them. It is busy the rest of the time, and four frames are
    // queued at the end.
    const double carried = (43'600'000.0 - 5'120'000) / 87'200 + 4;
    CHECK(std::abs(static_cast<double>(bench.starts.size()) - carried) < 3);
    CHECK(bench.starts[1] - bench.starts[0] == 87'200);
    Tick longest = 0;
    for (std::size_t i = 1; i < bench.starts.size(); ++i) longest = std::max(longest, bench.starts[i] - bench.starts[i - 1]);
    CHECK(longest >= 5'120'000);
    CHECK(bench.in_order);
    if (first.empty()) first = bench.starts;
    CHECK(bench.starts == first);
  }
}

TEST_CASE("datagram source: it stops, and starts again", "[pure][ethernet]") {
  Bench bench(config(1_GBps));  // 1.09 us a frame
  bench.source->start(1'000'000);
  bench.source->stop(5'000'000);
  bench.run(20'000'000, 100'000);
  CHECK(bench.starts.size() == 4);
  CHECK(bench.source->next() == never);
  bench.source->reset();
  CHECK(bench.source->next() == never);
  CHECK_THROWS_AS(Bench(DatagramSource::Config{}), std::invalid_argument);
}

}  // namespace tributary::test_datagram_source
