// Tests the counter array of Klenk Figure 6.
#include <catch2/catch.hpp>

#include "modules/gpu/core/wave_controller.h"

namespace tributary::test_wave_controller {

TEST_CASE("a wave ends with the last of its responses, in any order", "[pure][dma]") {
  WaveController w(1);
  REQUIRE(w.allocate({64, 4, 4}, 0));
  CHECK_FALSE(w.arrived(67, 1));
  CHECK_FALSE(w.arrived(64, 2));
  CHECK_FALSE(w.arrived(66, 3));
  CHECK(w.in_flight() == 1);
  CHECK(w.arrived(65, 4) == 64u);
  CHECK(w.in_flight() == 0);
}

TEST_CASE("a counter may be selected by number, and refuses blocks of other waves", "[pure][dma]") {
  WaveController w(2);
  REQUIRE(w.allocate_at(1, {0, 2, 4}, 0));
  CHECK_FALSE(w.allocate_at(1, {2, 2, 2}, 0));
  REQUIRE(w.allocate_at(0, {2, 2, 2}, 0));
  CHECK_THROWS_AS(w.arrived_at(0, 1, 1), std::logic_error);
  CHECK_THROWS_AS(w.arrived_at(2, 1, 1), std::logic_error);
  CHECK_FALSE(w.arrived_at(1, 1, 1, 3));  // three merged acks
  CHECK(w.arrived_at(1, 0, 2) == 0u);
  CHECK(w.allocate_at(1, {4, 2, 2}, 3));
  CHECK(w.in_flight() == 2);
}

TEST_CASE("there are at most as many waves as counters, and counters are reused", "[pure][dma]") {
  WaveController w(2);
  CHECK(w.allocate({0, 2, 2}, 0));
  CHECK(w.allocate({2, 2, 2}, 0));
  CHECK_FALSE(w.allocate({4, 2, 2}, 0));
  w.arrived(2, 1);
  CHECK_FALSE(w.allocate({4, 2, 2}, 1));
  CHECK(w.arrived(3, 2) == 2u);
  CHECK(w.allocate({4, 2, 2}, 3));
  CHECK(w.in_flight() == 2);
  CHECK_FALSE(w.arrived(4, 4));  // each response counts for the wave that holds its block
  CHECK_FALSE(w.arrived(0, 5));
  CHECK(w.arrived(1, 6) == 0u);
  CHECK(w.arrived(5, 7) == 4u);
}

TEST_CASE("the goal counts responses, not blocks", "[pure][dma]") {
  WaveController w(1);
  w.allocate({0, 2, 6}, 0);  // three responses per block
  for (unsigned i = 0; i < 5; ++i) CHECK_FALSE(w.arrived(i % 2, i));
  CHECK(w.arrived(1, 5) == 0u);
}

TEST_CASE("a response that belongs to no wave is an error", "[pure][dma]") {
  WaveController w(2);
  CHECK_THROWS_AS(w.arrived(0, 0), std::logic_error);
  w.allocate({8, 8, 8}, 0);
  CHECK_THROWS_AS(w.arrived(7, 1), std::logic_error);
  CHECK_THROWS_AS(w.arrived(16, 1), std::logic_error);
  w.allocate({16, 1, 1}, 2);
  w.arrived(16, 3);
  CHECK_THROWS_AS(w.arrived(16, 4), std::logic_error);  // its wave has ended
}

TEST_CASE("waiting() names waves in flight, and reset clears them", "[pure][dma]") {
  WaveController w(3);
  w.allocate({0, 64, 64}, 0);
  w.allocate({64, 64, 64}, 0);
  w.arrived(70, 1);
  const std::vector<std::string> lines = w.waiting();
  REQUIRE(lines.size() == 2);
  CHECK(lines[1] == "dma.wave1: 1 of 64 responses for blocks 64 to 127");
  w.reset();
  CHECK(w.waiting().empty());
  for (unsigned i = 0; i < 3; ++i) CHECK(w.allocate({i * 8, 8, 8}, 2));
}

TEST_CASE("equal block numbers of two requests are counted separately", "[pure][dma]") {
  WaveController w(2);
  REQUIRE(w.allocate({0, 1, 3, 0}, 0));
  REQUIRE(w.allocate({0, 2, 2, 1}, 0));
  CHECK((w.holds(0, 0) && w.holds(0, 1) && w.holds(1, 1)));
  CHECK_FALSE(w.holds(1, 0));
  CHECK_FALSE(w.arrived(0, 1, 1, 1));
  CHECK(w.arrived(0, 2, 3, 0) == 0u);  // three merged acks of the first request
  CHECK_FALSE(w.holds(0, 0));
  CHECK(w.arrived(1, 3, 1, 1) == 0u);
}

}  // namespace tributary::test_wave_controller
