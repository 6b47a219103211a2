// Edges of a clock by a period, a phase, and the rate of a link.
#include <catch2/catch.hpp>
#include <stdexcept>

#include "modules/rtl/core/clock_domain.h"

namespace tributary::test_clock_domain {

TEST_CASE("an input is sampled at the first edge at or after its time", "[pure][rtl]") {
  const ClockDomain clock(3103);
  CHECK(clock.edge_at(0) == 0);
  CHECK(clock.edge_at(1) == 1);
  CHECK(clock.edge_at(3103) == 1);
  CHECK(clock.edge_at(3104) == 2);
  CHECK(clock.time_of(1190) == 3'692'570);
  CHECK(clock.cycles(34) == 105'502);
}

TEST_CASE("a phase shifts all edges, and not the length of cycles", "[pure][rtl]") {
  ClockDomain clock(1000, 250);
  CHECK(clock.time_of(0) == 250);
  CHECK(clock.edge_at(250) == 0);
  CHECK(clock.edge_at(251) == 1);
  CHECK(clock.cycles(3) == 3000);
  clock.align(123'456);
  CHECK(clock.time_of(123) == 123'456);
  CHECK(clock.edge_at(123'456) == 123);
}

TEST_CASE("edges at a rate lie at the ceiling of a picosecond and do not drift", "[pure][rtl]") {
  // 16 B at 3 GB/s: 16000/3 ps.
  const ClockDomain clock = ClockDomain::of_rate(bytes_per_second(3'000'000'000), 16);
  CHECK(clock.time_of(1) == 5334);
  CHECK(clock.time_of(2) == 10'667);
  CHECK(clock.time_of(3) == 16'000);
  CHECK(clock.time_of(3'000'000'000) == 16'000'000'000'000);
  for (std::uint64_t edge = 0; edge < 1000; ++edge) {
    CHECK(clock.edge_at(clock.time_of(edge)) == edge);
    CHECK(clock.edge_at(clock.time_of(edge) + 1) == edge + 1);
  }
}

TEST_CASE("a clock without a period is refused", "[pure][rtl]") {
  CHECK_THROWS_AS(ClockDomain(0), std::invalid_argument);
  CHECK_THROWS_AS(ClockDomain::of_rate(bytes_per_second(0), 16), std::invalid_argument);
}

}  // namespace tributary::test_clock_domain
