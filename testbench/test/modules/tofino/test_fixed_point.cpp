#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "modules/base/random.h"
#include "modules/tofino/core/fixed_point.h"

namespace tributary::test_fixed_point {

TEST_CASE("Fixed point: integers and a power of two are exact", "[pure]") {
  const FixedPoint fixed(1 << 10, 8);
  const std::vector<float> values{0, 1, -1, 1000, -12345, 0.5f, -0.0009765625f};
  std::vector<std::int32_t> coded(values.size());
  REQUIRE(fixed.encode(values.data(), values.size(), coded.data()));
  CHECK(coded == std::vector<std::int32_t>{0, 1024, -1024, 1024000, -12641280, 512, -1});
  std::vector<float> back(values.size());
  fixed.decode(coded.data(), coded.size(), back.data());
  CHECK(back == values);
}

TEST_CASE("Fixed point: a value whose sum could exceed 32 bits is refused", "[pure]") {
  std::int32_t coded[2];
  const FixedPoint fixed(1, 8);
  CHECK(fixed.limit() == 268435455);  // 8 of them: 2^31 - 8
  const float fits[] = {268435440, -268435440}, beyond[] = {0, 268435456};
  CHECK(fixed.encode(fits, 2, coded));
  CHECK_FALSE(fixed.encode(beyond, 2, coded));
  const float none[] = {1, std::numeric_limits<float>::quiet_NaN()},
              infinite[] = {-std::numeric_limits<float>::infinity(), 1};
  CHECK_FALSE(fixed.encode(none, 2, coded));
  CHECK_FALSE(fixed.encode(infinite, 2, coded));
  CHECK_THROWS(FixedPoint(0, 4));
  CHECK_THROWS(FixedPoint(1, 0));
}

TEST_CASE("Fixed point: exponents", "[pure]") {
  const auto of = [](std::vector<float> v) { return exponent_of(v.data(), v.size()); };
  CHECK(of({1}) == 1);  // below 2
  CHECK(of({-0.75f, 0.1f}) == 0);
  CHECK(of({3, -8, 1}) == 4);
  CHECK(of({0, 0}) == least_exponent);
  CHECK(of({1, std::numeric_limits<float>::infinity()}) == no_exponent);
  CHECK(of({std::numeric_limits<float>::max()}) == 128);
  CHECK(of({std::numeric_limits<float>::denorm_min()}) == -148);
}

TEST_CASE("Fixed point: scaled by the exponent, sums fit and err by half a unit each", "[pure]") {
  for (const unsigned workers : {1u, 2u, 5u, 6u, 64u})
    for (const int exponent : {-100, -3, 0, 17, 128}) {
      const FixedPoint fixed = FixedPoint::of_exponent(exponent, workers);
      std::int32_t sum = 0;
      double exact = 0;
      bool fits = true;
      for (unsigned w = 0; w < workers; ++w) {
        const auto part = static_cast<double>(random_at(1, workers, w) >> 11) * 0x1p-53;
        const auto value = static_cast<float>(std::ldexp(0.999 * part, exponent));
        std::int32_t coded = 0;
        fits &= fixed.encode(&value, 1, &coded) && add(&sum, &coded, 1);
        exact += value;
      }
      CHECK(fits);
      CHECK(std::abs(sum / fixed.scale() - exact) <= workers * 0.5 / fixed.scale());
      const auto largest = static_cast<float>(std::ldexp(1 - 0x1p-24, exponent));
      std::int32_t coded = 0, all = 0;
      fits = fixed.encode(&largest, 1, &coded);
      for (unsigned w = 0; w < workers; ++w) fits &= add(&all, &coded, 1);
      CHECK(fits);
    }
}

TEST_CASE("Fixed point: a sum that exceeds 32 bits is reported", "[pure]") {
  std::int32_t sum[] = {1, 2147483647};
  const std::int32_t small[] = {1, 0}, large[] = {0, 1};
  CHECK(add(sum, small, 2));
  CHECK_FALSE(add(sum, large, 2));
  CHECK(sum[0] == 2);
}

}  // namespace tributary::test_fixed_point
