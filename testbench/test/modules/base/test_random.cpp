#include <catch2/catch.hpp>

#include "modules/base/random.h"

namespace tributary::test_random {

TEST_CASE("mix64 is the finaliser of SplitMix64", "[pure][random]") {
  // First outputs of SplitMix64 seeded with 0 and 1234567 (reference values of the published generator).
  CHECK(mix64(0) == 0xE220A8397B1DCDAFull);
  CHECK(mix64(0x9E3779B97F4A7C15ull) == 0x6E789E6AA1B965F4ull);
  CHECK(mix64(1234567) == 6457827717110365317ull);
}

TEST_CASE("below() maps 64 random bits to a range", "[pure][random]") {
  CHECK(below(0, 10) == 0);
  CHECK(below(~0ull, 10) == 9);
  CHECK(below(1ull << 63, 10) == 5);
  CHECK(below(~0ull, 0) == 0);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint64_t x = below(random_at(7, 3, i), 1000);
    REQUIRE(x < 1000);
    sum += x;
  }
  // The mean is 499.5 with a standard error of 2.9; the margin is ten of them.
  CHECK(sum > 4'700'000);
  CHECK(sum < 5'290'000);
}

TEST_CASE("random_at depends only on seed, stream and index", "[pure][random]") {
  CHECK(random_at(1, 2, 3) == random_at(1, 2, 3));
  CHECK(random_at(1, 2, 3) != random_at(2, 2, 3));
  CHECK(random_at(1, 2, 3) != random_at(1, 3, 3));
  CHECK(random_at(1, 2, 3) != random_at(1, 2, 4));
}

}  // namespace tributary::test_random
