/// Background traffic: load, destinations, and dependence on the seed.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "testbench/family/nvswitch/background_source.h"
#include "testbench/test/harness/gpu_bench.h"
#include "testbench/workload/background_traffic.h"

namespace tributary::test_background_traffic {
namespace {

constexpr Tick slot = 960;  // 144 B at 150 GB/s
constexpr std::uint64_t background_address = std::uint64_t{1} << 62;

BackgroundTraffic traffic(double load, std::uint16_t gpu = 3, std::uint64_t seed = 1) {
  return BackgroundTraffic({load, 150_GBps, 16, gpu, seed});
}

struct Event {
  Tick time;
  BackgroundTraffic::Write write;
};

std::vector<Event> take_all(BackgroundTraffic source, Tick t0, Tick end) {
  source.start(t0);
  source.stop(end);
  std::vector<Event> events;
  while (source.next() != never) {
    const Tick time = source.next();
    events.push_back({time, source.take()});
  }
  return events;
}

}  // namespace

TEST_CASE("background: writes match the load, in slots of one packet", "[pure][background]") {
  constexpr double slots = 100'000;
  for (const double load : {0.01, 0.2, 0.5, 0.9}) {
    INFO(load);
    const auto events = take_all(traffic(load), 7, 7 + 100'000 * slot);
    const double deviation = std::sqrt(slots * load * (1 - load));
    CHECK(std::abs(static_cast<double>(events.size()) - slots * load) < 5 * deviation);
    for (const Event& e : events) REQUIRE((e.time - 7) % slot == 0);
  }
  CHECK(take_all(traffic(1), 0, 1000 * slot).size() == 1000);  // every slot
  CHECK(take_all(traffic(0), 0, 1000 * slot).empty());
  CHECK_FALSE(traffic(0).enabled());
}

TEST_CASE("background: slots do not drift at rates without a whole number of picoseconds", "[pure][background]") {
  BackgroundTraffic source({1, bytes_per_second(7'000'000'000), 2, 0, 1});
  const auto events = take_all(source, 0, 21 * 144'000 / 7 + 1);  // 144 B at 7 GB/s: 20571 3/7 ps
  REQUIRE(events.size() == 22);
  CHECK(events[1].time == 20'571);
  CHECK(events[21].time == 21 * 144'000 / 7);
}

TEST_CASE("background: a GPU writes to all others equally, never to itself", "[pure][background]") {
  std::vector<int> count(16, 0), plane(6, 0);
  const auto events = take_all(traffic(1), 0, 60'000 * slot);
  for (const Event& e : events) {
    ++count.at(e.write.destination);
    ++plane[e.write.address / 128 % 6];
    REQUIRE((e.write.address % 128 == 0 && BackgroundTraffic::owns(e.write.address)));
  }
  CHECK(count[3] == 0);
  for (int g = 0; g < 16; ++g)
    if (g != 3) CHECK(std::abs(count[static_cast<std::size_t>(g)] - 4000) < 5 * 62);
  for (const int n : plane) CHECK(std::abs(n - 10'000) < 5 * 92);
}

TEST_CASE("background: writes depend on seed and GPU, not on the start", "[pure][background]") {
  const auto same = [](const std::vector<Event>& a, const std::vector<Event>& b, Tick shift) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i].time + shift != b[i].time || a[i].write.destination != b[i].write.destination ||
          a[i].write.address != b[i].write.address)
        return false;
    return true;
  };
  const auto first = take_all(traffic(0.3), 0, 1000 * slot);
  CHECK(same(first, take_all(traffic(0.3), 500, 500 + 1000 * slot), 500));
  CHECK_FALSE(same(first, take_all(traffic(0.3, 4), 0, 1000 * slot), 0));
  CHECK_FALSE(same(first, take_all(traffic(0.3, 3, 2), 0, 1000 * slot), 0));
  BackgroundTraffic reseeded = traffic(0.3);
  reseeded.reseed(2);
  CHECK(same(take_all(traffic(0.3, 3, 2), 0, 1000 * slot), take_all(reseeded, 0, 1000 * slot), 0));
}

TEST_CASE("background: a GPU acknowledges a write, and stores no data of it", "[pure][background]") {
  gpu_bench::GpuBench b;
  const auto& source = b.add_engine<BackgroundEngine>("background", BackgroundTraffic::Config{0.5, 150_GBps, 16, 1, 1});
  const std::vector<std::uint32_t> before = b.memory;
  Packet* write = b.packet(Opcode::write, 5, 1, 77);
  nv(*write).address |= background_address;
  b.receive(write, 2'000'000);
  b.core->run_until(3'000'000);
  REQUIRE(b.sent.size() == 1);
  CHECK(b.sent[0].header.opcode == Opcode::ack);
  CHECK(BackgroundTraffic::owns(b.sent[0].header.address));
  CHECK(b.sent[0].header.destination == 3);
  CHECK(b.sent[0].vc == response_vc);
  CHECK(b.memory == before);
  Packet* ack = b.packet(Opcode::ack, 5, 1, 0);
  nv(*ack).address |= background_address;
  b.receive(ack, 4'000'000);
  const BackgroundTraffic::Counts& counts = source.counts();
  CHECK((counts.received == 1 && counts.acknowledged == 1 && counts.sent == 0));
  CHECK(b.core->memory_use().writes == 0);
}

}  // namespace tributary::test_background_traffic
