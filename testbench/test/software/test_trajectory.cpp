#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include "modules/base/random.h"
#include "testbench/observe/trajectory_hash.h"

namespace tributary::test_trajectory {
namespace {

using Event = TrajectoryHash::Event;

std::vector<Event> some_events() {
  std::vector<Event> events;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t r = random_at(1, 2, i);
    events.push_back({r % 1'000'000, static_cast<std::uint32_t>(r >> 60), static_cast<std::uint8_t>(r >> 50 & 7),
                      static_cast<std::uint16_t>(16 * (1 + (r >> 40 & 7))), static_cast<std::uint16_t>(r >> 30 & 15), 1,
                      r & ~127ull});
  }
  return events;
}

std::uint64_t trajectory_of(const std::vector<Event>& events) {
  TrajectoryHash hash;
  for (const Event& e : events) hash.record(e);
  return hash.trajectory();
}

std::uint64_t traffic_of(const std::vector<Event>& events) {
  TrajectoryHash hash;
  for (const Event& e : events) hash.record(e);
  return hash.traffic();
}

}  // namespace

TEST_CASE("a trajectory hash does not depend on the order of calls", "[pure]") {
  const std::vector<Event> events = some_events();
  std::vector<Event> reversed(events.rbegin(), events.rend());
  REQUIRE(trajectory_of(reversed) == trajectory_of(events));
  REQUIRE(traffic_of(reversed) == traffic_of(events));
}

TEST_CASE("a trajectory hash depends on every field and every packet", "[pure]") {
  const std::vector<Event> events = some_events();
  const std::uint64_t reference = trajectory_of(events);
  const auto changed = [&](auto edit) {
    std::vector<Event> other = events;
    edit(other[500]);
    return trajectory_of(other) != reference;
  };
  REQUIRE(changed([](Event& e) { ++e.time; }));
  REQUIRE(changed([](Event& e) { ++e.link; }));
  REQUIRE(changed([](Event& e) { ++e.opcode; }));
  REQUIRE(changed([](Event& e) { ++e.bytes; }));
  REQUIRE(changed([](Event& e) { e.bytes = static_cast<std::uint16_t>(e.bytes + 16); }));
  REQUIRE(changed([](Event& e) { e.bytes = static_cast<std::uint16_t>(e.bytes + 4096); }));
  REQUIRE(changed([](Event& e) { ++e.source; }));
  REQUIRE(changed([](Event& e) { ++e.count; }));
  REQUIRE(changed([](Event& e) { e.address += 128; }));
  std::vector<Event> twice = events;
  twice.push_back(events[0]);
  REQUIRE(trajectory_of(twice) != reference);
  std::swap(twice[0].time, twice[1].time);
  twice.pop_back();
  REQUIRE(trajectory_of(twice) != reference);
}

TEST_CASE("a traffic hash depends on bytes per link but not on time", "[pure]") {
  std::vector<Event> events = some_events();
  const std::uint64_t reference = traffic_of(events);
  events[3].time += 5;
  REQUIRE(traffic_of(events) == reference);
  events[3].bytes = static_cast<std::uint16_t>(events[3].bytes + 1);
  REQUIRE(traffic_of(events) != reference);
}

TEST_CASE("a run has the same hash alone and later in a sweep", "[pure]") {
  PacketProbe a, b;
  TrajectoryHash hash;
  hash.add(a);
  hash.add(b);
  PacketView p;
  p.bytes = 144;
  p.address = 0x1280;
  a(100, p);
  b(200, p);
  const std::uint64_t alone = hash.trajectory(), traffic = hash.traffic();
  hash.reset(5000);
  b(5200, p);
  a(5100, p);
  REQUIRE(hash.trajectory() == alone);
  REQUIRE(hash.traffic() == traffic);
  hash.reset(5000);
  a(5200, p);
  b(5100, p);
  REQUIRE(hash.trajectory() != alone);
}

}  // namespace tributary::test_trajectory
