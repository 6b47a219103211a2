#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include "modules/base/element.h"

namespace tributary::test_element {
namespace {

/// Returns the value of a binary16 by definition: sign, 5 bits of exponent with bias 15, 10 bits of fraction.
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

TEST_CASE("binary16 keeps infinities and NaNs, and overflows to infinity", "[pure][element]") {
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

TEST_CASE("i32 sums wrap around", "[pure][element]") {
  std::int32_t a[2] = {std::numeric_limits<std::int32_t>::max(), -5};
  const std::int32_t b[2] = {1, 7};
  apply(ReduceOp::sum, ElementType::i32, a, b, sizeof a);
  CHECK(a[0] == std::numeric_limits<std::int32_t>::min());
  CHECK(a[1] == 2);
}

TEST_CASE("i8, i16 and i64 sums wrap around, and f64 sums have 53 bits", "[pure][element]") {
  std::int8_t a[3] = {127, -5, -128};
  const std::int8_t b[3] = {1, 7, -1};
  apply(ReduceOp::sum, ElementType::i8, a, b, sizeof a);
  CHECK((a[0] == -128 && a[1] == 2 && a[2] == 127));
  std::int16_t c[2] = {32767, -5};
  const std::int16_t d[2] = {1, 7};
  apply(ReduceOp::sum, ElementType::i16, c, d, sizeof c);
  CHECK((c[0] == -32768 && c[1] == 2));
  std::int64_t e[2] = {std::numeric_limits<std::int64_t>::max(), -5};
  const std::int64_t f[2] = {1, std::int64_t{1} << 40};
  apply(ReduceOp::sum, ElementType::i64, e, f, sizeof e);
  CHECK((e[0] == std::numeric_limits<std::int64_t>::min() && e[1] == (std::int64_t{1} << 40) - 5));
  double g[2] = {0x1p53, 1};
  const double h[2] = {1, 0x1p-52};
  apply(ReduceOp::sum, ElementType::f64, g, h, sizeof g);
  CHECK((g[0] == 0x1p53 && g[1] == 1 + 0x1p-52));
  CHECK((element_size(ElementType::i8) == 1 && element_size(ElementType::i16) == 2 && element_size(ElementType::i64) == 8 &&
         element_size(ElementType::f64) == 8));
}

TEST_CASE("merging a whole block equals merging each element, for any length and alignment", "[pure][element]") {
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

TEST_CASE("every bfloat16 is the upper half of a binary32, and narrowing rounds to nearest, ties to even",
          "[pure][element]") {
  for (unsigned i = 0; i < 0x7F80; ++i) {  // all finite values, and infinity as the last neighbour
    const auto h = static_cast<std::uint16_t>(i), next = static_cast<std::uint16_t>(i + 1);
    const std::uint32_t upper = i << 16, half_way = upper + 0x8000u;
    float value, middle;
    std::memcpy(&value, &upper, 4);
    std::memcpy(&middle, &half_way, 4);
    REQUIRE(from_bf16(h) == value);
    REQUIRE(to_bf16(value) == h);
    REQUIRE(to_bf16(middle) == (i % 2 == 0 ? h : next));
    REQUIRE(to_bf16(std::nextafter(middle, 0.0f)) == h);
    REQUIRE(to_bf16(-middle) == ((i % 2 == 0 ? h : next) | 0x8000));
    std::uint32_t above = half_way + 1;
    std::memcpy(&middle, &above, 4);
    REQUIRE(to_bf16(middle) == next);
  }
  CHECK(to_bf16(std::numeric_limits<float>::infinity()) == 0x7F80);
  CHECK(to_bf16(std::numeric_limits<float>::max()) == 0x7F80);
  CHECK(to_bf16(std::numeric_limits<float>::quiet_NaN()) == 0x7FC0);
}

TEST_CASE("a bf16 sum rounds at each merge", "[pure][element]") {
  std::uint16_t a[3] = {to_bf16(256), to_bf16(256), to_bf16(1)};
  const std::uint16_t b[3] = {to_bf16(1), to_bf16(3), to_bf16(0.5f)};
  apply(ReduceOp::sum, ElementType::bf16, a, b, sizeof a);
  CHECK(from_bf16(a[0]) == 256);  // 257 lies between 256 and 258
  CHECK(from_bf16(a[1]) == 260);  // 259 lies between 258 (odd) and 260
  CHECK(from_bf16(a[2]) == 1.5f);
}

namespace {

/// Returns the result of one element, as bits.
template <class Bits, class Value>
Bits of_two(ReduceOp op, ElementType type, Value a, Value b) {
  apply(op, type, &a, &b, sizeof a);
  Bits bits;
  std::memcpy(&bits, &a, sizeof bits);
  return bits;
}

}  // namespace

TEST_CASE("min and max order zeros by sign and return the same quiet NaN for any NaN", "[pure][element]") {
  const float nan = std::numeric_limits<float>::signaling_NaN(), infinity = std::numeric_limits<float>::infinity();
  const auto f32 = [](ReduceOp op, float a, float b) { return of_two<std::uint32_t>(op, ElementType::f32, a, b); };
  for (const bool swapped : {false, true}) {
    const auto both = [&](ReduceOp op, float a, float b) { return swapped ? f32(op, b, a) : f32(op, a, b); };
    CHECK(both(ReduceOp::min, 0.0f, -0.0f) == 0x80000000u);
    CHECK(both(ReduceOp::max, 0.0f, -0.0f) == 0);
    CHECK(both(ReduceOp::min, nan, -infinity) == 0x7FC00000u);
    CHECK(both(ReduceOp::max, -nan, 1.0f) == 0x7FC00000u);
    CHECK(both(ReduceOp::min, -infinity, 3.0f) == 0xFF800000u);
    CHECK(both(ReduceOp::max, -2.0f, 3.0f) == 0x40400000u);
    CHECK(both(ReduceOp::min, -2.0f, -3.0f) == 0xC0400000u);
  }
  using Half = std::uint16_t;
  for (const auto op : {ReduceOp::min, ReduceOp::max}) {
    CHECK(of_two<Half>(op, ElementType::f16, Half{0x7C01}, to_f16(1)) == 0x7E00);
    CHECK(of_two<Half>(op, ElementType::bf16, to_bf16(1), Half{0xFF81}) == 0x7FC0);
  }
  CHECK(of_two<Half>(ReduceOp::min, ElementType::f16, to_f16(-7), to_f16(2)) == to_f16(-7));
  CHECK(of_two<Half>(ReduceOp::max, ElementType::bf16, to_bf16(-7), to_bf16(2)) == to_bf16(2));
  CHECK(of_two<std::int32_t>(ReduceOp::min, ElementType::i32, -5, 7) == -5);
  CHECK(of_two<std::int32_t>(ReduceOp::max, ElementType::i32, -5, 7) == 7);
  CHECK(of_two<std::int8_t>(ReduceOp::min, ElementType::i8, std::int8_t{-5}, std::int8_t{7}) == -5);
  CHECK(of_two<std::int16_t>(ReduceOp::max, ElementType::i16, std::int16_t{-5}, std::int16_t{7}) == 7);
  CHECK(of_two<std::int64_t>(ReduceOp::min, ElementType::i64, std::int64_t{-5}, std::int64_t{1} << 40) == -5);
  CHECK(of_two<std::uint64_t>(ReduceOp::min, ElementType::f64, 0.0, -0.0) == std::uint64_t{1} << 63);
  CHECK(of_two<std::uint64_t>(ReduceOp::max, ElementType::f64, std::numeric_limits<double>::signaling_NaN(), 1.0) ==
        0x7FF8000000000000u);
  CHECK(of_two<std::uint64_t>(ReduceOp::max, ElementType::f64, -2.0, 3.0) == 0x4008000000000000u);
}

TEST_CASE("sums that are a NaN are the same quiet NaN", "[pure][element]") {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::uint32_t nans[] = {0x7F800001u, 0x7FC12345u, 0xFFC00000u, 0xFFFFFFFFu};
  for (const std::uint32_t bits : nans) {
    float nan;
    std::memcpy(&nan, &bits, sizeof nan);
    for (const float x : {1.0f, -infinity, nan}) {
      CHECK(of_two<std::uint32_t>(ReduceOp::sum, ElementType::f32, nan, x) == 0x7FC00000u);
      CHECK(of_two<std::uint32_t>(ReduceOp::sum, ElementType::f32, x, nan) == 0x7FC00000u);
    }
  }
  CHECK(of_two<std::uint32_t>(ReduceOp::sum, ElementType::f32, infinity, -infinity) == 0x7FC00000u);
  CHECK(of_two<std::uint32_t>(ReduceOp::sum, ElementType::f32, infinity, infinity) == 0x7F800000u);
  const double wide = std::numeric_limits<double>::infinity();
  CHECK(of_two<std::uint64_t>(ReduceOp::sum, ElementType::f64, -wide, wide) == 0x7FF8000000000000u);
  CHECK(of_two<std::uint16_t>(ReduceOp::sum, ElementType::f16, std::uint16_t{0x7C00}, std::uint16_t{0xFC00}) == 0x7E00);
  CHECK(of_two<std::uint16_t>(ReduceOp::sum, ElementType::bf16, std::uint16_t{0xFFC1}, to_bf16(1)) == 0x7FC0);
}

TEST_CASE("min and max do not depend on the order of operands", "[pure][element]") {
  for (const auto op : {ReduceOp::min, ReduceOp::max})
    for (const auto type : {ElementType::f16, ElementType::bf16})
      for (unsigned i = 0; i < 0x10000; i += 7) {
        const auto a = static_cast<std::uint16_t>(i), b = static_cast<std::uint16_t>(i * 40503u >> 3);
        REQUIRE(of_two<std::uint16_t>(op, type, a, b) == of_two<std::uint16_t>(op, type, b, a));
      }
}

}  // namespace tributary::test_element
