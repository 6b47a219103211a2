// Tests flit times: 16 B / rate, exact below a picosecond.
#include <algorithm>
#include <catch2/catch.hpp>

#include "modules/link/core/serializer.h"

namespace tributary::test_serializer {

TEST_CASE("a flit needs 640 ps at 25 GB/s, a packet of 144 B 5760 ps", "[pure][serializer]") {
  Serializer s(25_GBps, 16);
  CHECK(s.flit_time() == 640);
  CHECK(s.serve(1000, 1) == 1640);
  CHECK(s.serve(1640, 9) == 7400);
  CHECK(s.free_at() == 7400);
}

TEST_CASE("a million flits do not drift", "[pure][serializer]") {
  // 16e6 B at 22.5 GB/s: 711 111 111.1 ps. Counting 711 ps for a flit would lose 111 ns.
  Serializer s(bytes_per_second(22'500'000'000), 16);
  Tick end = 0;
  unsigned flits = 0;
  for (unsigned i = 0; flits < 1'000'000; ++i) {
    const unsigned n = std::min(1 + i % 9, 1'000'000 - flits);
    end = s.serve(end, n);
    flits += n;
    const Tick exact = static_cast<Tick>(static_cast<Wide>(flits) * 16'000'000'000'000ull / 22'500'000'000ull);
    REQUIRE(end == exact);
  }
  CHECK(end == 711'111'111);
}

TEST_CASE("times are exact at any rate, including prime ones", "[pure][serializer]") {
  const std::uint64_t rate =
      GENERATE(as<std::uint64_t>{}, 1'000'003, 12'500'000'000, 24'999'999'967, 10'000'000'000'000, 9'999'999'999'999'937);
  Serializer s(bytes_per_second(rate), 16);
  Tick end = 0;
  for (unsigned i = 1; i <= 10'000; ++i) end = s.serve(end, 9);
  CHECK(end == static_cast<Tick>(static_cast<Wide>(90'000) * 16'000'000'000'000ull / rate));
}

TEST_CASE("an idle server restarts at a whole picosecond", "[pure][serializer]") {
  Serializer s(bytes_per_second(22'500'000'000), 16);  // 711 1/9 ps
  Tick end = 0;
  for (unsigned i = 0; i < 8; ++i) end = s.serve(end, 1);
  CHECK(end == 5688);  // 5688 8/9
  CHECK(s.serve(5688, 1) == 6400);
  CHECK(s.serve(7000, 1) == 7711);
  CHECK(s.serve(7711, 1) == 8422);  // no fraction remains
}

TEST_CASE("a packet does not end before its tail is available", "[pure][serializer]") {
  Serializer s(25_GBps, 16);
  CHECK(s.serve(0, 9, 5000) == 5760);
  CHECK(s.serve(5760, 9, 20'000) == 20'000);
  CHECK(s.serve(20'000, 9) == 25'760);
  s.extend(40);
  CHECK(s.free_at() == 25'800);
  s.reset();
  CHECK(s.free_at() == 0);
}

TEST_CASE("a rate of zero is refused", "[pure][serializer]") {
  CHECK_THROWS_AS(Serializer(bytes_per_second(0), 16), std::invalid_argument);
}

}  // namespace tributary::test_serializer
