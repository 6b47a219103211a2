// Observers of several processes: each adds what the others have packed.
#include <catch2/catch.hpp>

#include <stdexcept>
#include <tuple>

#include "testbench/observe/link_usage.h"
#include "testbench/observe/packet_latency.h"
#include "testbench/observe/signal_counter.h"

namespace tributary::test_observed_bytes {
namespace {

template <class Observer>
ByteRow packed(const Observer& observer) {
  ByteRow row;
  ByteWriter to(row);
  observer.pack(to);
  return row;
}

template <class Observer>
void add(Observer& observer, const ByteRow& row) {
  ByteReader from(row);
  observer.add(from);
  CHECK(from.at_end());
}

}  // namespace

TEST_CASE("observed bytes: a histogram keeps all values, and an empty one stays empty", "[pure]") {
  LatencyHistogram one, both;
  for (const Tick value : {7u, 130'000u, 2'000'000'000u}) one.record(value), both.record(value);
  both.record(9);
  const ByteRow row = packed(one), none = packed(LatencyHistogram());
  ByteReader from(row), from_none(none);
  LatencyHistogram sum = LatencyHistogram::unpack(from);
  CHECK((from.at_end() && sum.buckets() == one.buckets()));
  sum.record(9);
  sum.add(LatencyHistogram::unpack(from_none));
  CHECK(from_none.at_end());
  CHECK(sum.buckets() == both.buckets());
  CHECK(sum.count() == 4);
  CHECK(sum.mean() == both.mean());
  CHECK((sum.min() == 7 && sum.max() == 2'000'000'000));
  ByteRow cut = row;
  cut.pop_back();
  ByteReader early(cut);
  CHECK_THROWS_AS(LatencyHistogram::unpack(early), std::out_of_range);
}

TEST_CASE("observed bytes: a link has its traffic in one process, until the next reset", "[pure]") {
  LinkMeter::Traffic here{4, 100, 50, 16}, idle{2, 32, 10, 16}, there{4, 100, 50, 16}, busy{2, 32, 10, 16};
  LinkUsage own, other;
  for (const auto& [usage, first, second] : {std::tuple{&own, &here, &idle}, std::tuple{&other, &there, &busy}}) {
    usage->add(*first, "a>b", 25_GBps);
    usage->add(*second, "b>a", 25_GBps);
    usage->reset();
  }
  here = {5, 120, 60, 20};
  busy = {9, 200, 1000, 160};
  add(own, packed(other));
  CHECK(own.links()[0].packets() == 1);
  CHECK(own.links()[0].bytes() == 20);
  CHECK(own.links()[1].packets() == 7);
  CHECK(own.links()[1].bytes() == 168);
  CHECK(own.links()[1].last_end() == other.links()[1].last_end());
  CHECK(own.total_bytes() == 188);
  own.reset();
  CHECK(own.total_bytes() == 0);
  idle.packets += 1, idle.bytes += 16;
  CHECK(own.links()[1].bytes() == 16);
}

TEST_CASE("observed bytes: latencies and counts of all processes are added, until the next reset", "[pure]") {
  PacketProbe delivered, delivered_there;
  SignalProbe dropped, dropped_there;
  ProbeDirectory here, there;
  here.add("a.delivered", delivered, "packet");
  there.add("a.delivered", delivered_there, "packet");
  here.add_signal("a.dropped", dropped, SignalKind::strobe, 1, "drop");
  there.add_signal("a.dropped", dropped_there, SignalKind::strobe, 1, "drop");
  PacketLatency own, other;
  SignalCounters counts, counts_there;
  own.attach(here), other.attach(there);
  counts.add(here, {{"*.dropped", "drops"}});
  counts_there.add(there, {{"*.dropped", "drops"}});
  const PacketView packet{};
  delivered(10, packet);
  delivered_there(30, packet), delivered_there(50, packet);
  dropped(1, 1);
  dropped_there(1, 1), dropped_there(2, 1);
  add(own, packed(other));
  add(counts, packed(counts_there));
  CHECK(own.count() == 3);
  CHECK(own.histogram().mean() == 30);
  CHECK(counts.counters().front().count == 3);
  own.reset(), counts.reset();
  CHECK((own.count() == 0 && counts.counters().front().count == 0));
}

}  // namespace tributary::test_observed_bytes
