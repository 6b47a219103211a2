#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include "modules/base/element.h"

using namespace tributary;

namespace {

/// binary16 by its definition: sign, 5 bits of exponent with bias 15, 10 bits of fraction.
double defined_value(std::uint16_t h) {
  const int exponent = (h >> 10) & 31, fraction = h & 1023;
  const double sign = h & 0x8000 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

bool is_finite(std::uint16_t h) { return (h & 0x7C00) != 0x7C00; }

}  // namespace

TEST_CASE("every binary16 widens to its defined value and narrows back", "[pure][element]") {
  for (unsigned i = 0; i < 0x10000; ++i) {
    const auto h = static_cast<std::uint16_t>(i);
    if (!is_finite(h)) continue;
    REQUIRE(static_cast<double>(from_f16(h)) == defined_value(h));
    REQUIRE(to_f16(from_f16(h)) == h);
  }
}

TEST_CASE("narrowing rounds to nearest, ties to even, at every binary16", "[pure][element]") {
  for (unsigned i = 0; i < 0x7BFF; ++i) {  // up to the largest finite value, 0x7BFF
    const auto h = static_cast<std::uint16_t>(i);
    const auto next = static_cast<std::uint16_t>(i + 1);
    const auto even = i % 2 == 0 ? h : next;
    const float middle = static_cast<float>((defined_value(h) + defined_value(next)) / 2);  // exact: 12 bits
    REQUIRE(to_f16(middle) == even);
    REQUIRE(to_f16(std::nextafter(middle, 0.0f)) == h);
    REQUIRE(to_f16(std::nextafter(middle, 1e9f)) == next);
    REQUIRE(to_f16(-middle) == (even | 0x8000));
  }
}

TEST_CASE("infinities, overflow and not-a-number of binary16", "[pure][element]") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(to_f16(infinity) == 0x7C00);
  CHECK(to_f16(-infinity) == 0xFC00);
  CHECK(from_f16(0x7C00) == infinity);
  CHECK(to_f16(65504.0f) == 0x7BFF);
  CHECK(to_f16(65519.0f) == 0x7BFF);
  CHECK(to_f16(65520.0f) == 0x7C00);  // half-way to 2^16, which is not representable
  CHECK(to_f16(1e30f) == 0x7C00);
  CHECK(to_f16(1e-30f) == 0);
  CHECK(to_f16(-0.0f) == 0x8000);
  CHECK(std::isnan(from_f16(0x7E00)));
  CHECK(std::isnan(from_f16(to_f16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_CASE("f32 and f16 sums round at each merge", "[pure][element]") {
  float a[3] = {1, 0x1p24f, -2};
  const float b[3] = {2, 1, 0.5f};
  apply(ReduceOp::sum, ElementType::f32, a, b, sizeof a);
  CHECK(a[0] == 3);
  CHECK(a[1] == 0x1p24f);  // 2^24 + 1 needs 25 bits; a tie goes to even
  CHECK(a[2] == -1.5f);

  std::uint16_t x[2] = {to_f16(2048), to_f16(2048)};
  const std::uint16_t y[2] = {to_f16(1), to_f16(3)};
  apply(ReduceOp::sum, ElementType::f16, x, y, sizeof x);
  CHECK(from_f16(x[0]) == 2048);  // 2049 lies between 2048 and 2050
  CHECK(from_f16(x[1]) == 2052);  // 2051 lies between 2050 (odd fraction) and 2052
}

TEST_CASE("i32 wraps", "[pure][element]") {
  std::int32_t a[2] = {std::numeric_limits<std::int32_t>::max(), -5};
  const std::int32_t b[2] = {1, 7};
  apply(ReduceOp::sum, ElementType::i32, a, b, sizeof a);
  CHECK(a[0] == std::numeric_limits<std::int32_t>::min());
  CHECK(a[1] == 2);
}

TEST_CASE("a merge of a whole block equals the merge of each element, whatever the length and the alignment",
          "[pure][element]") {
  const std::size_t elements = GENERATE(1u, 3u, 8u, 31u, 64u);
  const std::size_t shift = GENERATE(0u, 2u);
  std::vector<std::uint8_t> a(elements * 2 + shift + 2, 0xAB), b(elements * 2 + shift);
  std::vector<std::uint16_t> expected(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint16_t x = to_f16(static_cast<float>(i) * 0.37f - 3), y = to_f16(static_cast<float>(i * i) * 0.011f);
    std::memcpy(&a[shift + 2 * i], &x, 2);
    std::memcpy(&b[shift + 2 * i], &y, 2);
    expected[i] = to_f16(from_f16(x) + from_f16(y));
  }
  apply(ReduceOp::sum, ElementType::f16, a.data() + shift, b.data() + shift, elements * 2);
  CHECK(std::memcmp(a.data() + shift, expected.data(), elements * 2) == 0);
  CHECK(a[shift + elements * 2] == 0xAB);  // nothing past the end
}
