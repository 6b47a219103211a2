#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "testbench/workload/reference_data.h"

namespace tributary::test_reference_data {

using namespace tributary::workload;

namespace {

using Buffer = std::vector<unsigned char>;

Buffer operand(const DataSpec& spec, int rank, std::uint64_t elements) {
  Buffer b(elements * element_size(spec.type));
  fill(b.data(), b.size(), spec, rank);
  return b;
}

std::vector<int> first_ranks(int n) {
  std::vector<int> ranks;
  for (int r = 0; r < n; ++r) ranks.push_back(r);
  return ranks;
}

/// Merges one operand after another in the element type, as a machine does, in ring, tree or any other order.
Buffer merged(const DataSpec& spec, const std::vector<int>& order, std::uint64_t elements) {
  Buffer sum = operand(spec, order[0], elements);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Buffer next = operand(spec, order[i], elements);
    apply(spec.op, spec.type, sum.data(), next.data(), sum.size());
  }
  return sum;
}

std::uint64_t wrong(const Buffer& result, const DataSpec& spec, const std::vector<int>& ranks) {
  return count_wrong({result.data()}, result.size(), spec, ranks);
}

template <class T>
T at(const Buffer& b, std::size_t i) {
  T x;
  std::memcpy(&x, b.data() + i * sizeof x, sizeof x);
  return x;
}

double value(const DataSpec& spec, const Buffer& b, std::size_t i) {
  return first_element(spec.type, b.data() + i * element_size(spec.type));
}

constexpr ElementType all_types[] = {ElementType::f64, ElementType::f32, ElementType::f16, ElementType::bf16,
                                     ElementType::i8,  ElementType::i16, ElementType::i32, ElementType::i64};

}  // namespace

TEST_CASE("reference data: correct sums pass in any order of merging", "[pure]") {
  const auto type = GENERATE(from_range(std::begin(all_types), std::end(all_types)));
  const auto values = GENERATE(Values::exact, Values::random);
  const auto n = GENERATE(1, 2, 3, 16, 128, 256);
  const auto op = GENERATE(ReduceOp::sum, ReduceOp::min, ReduceOp::max);
  const DataSpec spec{type, values, 7, op};
  if (n == 256 && type == ElementType::bf16 && values == Values::exact && op == ReduceOp::sum) {
    CHECK_THROWS_AS(ReferenceSum(spec, first_ranks(n)),
                    std::invalid_argument);  // 256 x -2 is beyond the exact range of bf16
    return;
  }
  const std::uint64_t elements = 5001;  // not a multiple of a block, nor of the lanes of a word
  const std::vector<int> ranks = first_ranks(n), reversed(ranks.rbegin(), ranks.rend());
  CHECK(wrong(merged(spec, ranks, elements), spec, ranks) == 0);
  CHECK(wrong(merged(spec, reversed, elements), spec, ranks) == 0);
}

TEST_CASE("reference data: exact operands are integers whose partial sums are exact", "[pure]") {
  const auto type = GENERATE(ElementType::f32, ElementType::f16, ElementType::bf16);
  const DataSpec spec{type, Values::exact, 3};
  const double largest_exact = type == ElementType::f32 ? 0x1p24 : type == ElementType::f16 ? 0x1p11 : 0x1p9;
  const Buffer b = operand(spec, 5, 20000);
  double lowest = 0, highest = 0;
  for (std::size_t i = 0; i < 20000; ++i) {
    const double x = value(spec, b, i);
    CHECK(x == std::floor(x));
    CHECK(few_ranks * std::abs(x) <= largest_exact);
    lowest = std::min(lowest, x);
    highest = std::max(highest, x);
  }
  CHECK(lowest + highest < 0);  // not symmetric, so that a lost sign is detected
  if (type == ElementType::bf16) {
    CHECK(lowest == -2);
    CHECK(highest == 1);
  }
  if (type == ElementType::f16) {
    CHECK(lowest == -8);
    CHECK(highest == 7);
  }
}

TEST_CASE("reference data: sums of 1024 ranks are exact in any order of merging", "[pure]") {
  const auto type = GENERATE(ElementType::f64, ElementType::f32, ElementType::f16, ElementType::i8, ElementType::i64);
  const DataSpec spec{type, Values::exact, 7, ReduceOp::sum, true};
  const std::vector<int> ranks = first_ranks(max_ranks), reversed(ranks.rbegin(), ranks.rend());
  CHECK(wrong(merged(spec, ranks, 300), spec, ranks) == 0);
  CHECK(wrong(merged(spec, reversed, 300), spec, ranks) == 0);
  CHECK(wrong(merged(spec, first_ranks(max_ranks - 1), 300), spec, ranks) > 200);
  const DataSpec random{type, Values::random, 7, ReduceOp::sum, true};
  CHECK(wrong(merged(random, reversed, 300), random, ranks) == 0);
  CHECK_THROWS_AS(ReferenceSum(spec, first_ranks(max_ranks + 1)), std::invalid_argument);
}

TEST_CASE("reference data: f64 has 53 bits at random, and integers below 2^53 otherwise", "[pure]") {
  const DataSpec exact{ElementType::f64, Values::exact, 3}, random{ElementType::f64, Values::random, 3};
  const Buffer integers = operand(exact, 5, 5000), reals = operand(random, 5, 5000);
  bool fine = false;  // some element needs more than 24 bits
  for (std::size_t i = 0; i < 5000; ++i) {
    const double x = value(exact, integers, i), y = value(random, reals, i);
    CHECK((x == std::floor(x) && few_ranks * std::abs(x) < 0x1p53));
    CHECK(std::abs(y) < 1);
    fine |= static_cast<double>(static_cast<float>(y)) != y && y != 0;
  }
  CHECK(fine);
  const auto order = first_ranks(16);
  const std::vector<int> other(order.rbegin(), order.rend());
  CHECK(merged(random, order, 5000) != merged(random, other, 5000));
  Buffer off = merged(random, order, 5000);
  for (std::size_t i = 0; i < 5000; ++i) {
    const double x = at<double>(off, i) + 0x1p-40;
    std::memcpy(off.data() + 8 * i, &x, 8);
  }
  CHECK(wrong(off, random, order) == 5000);
}

TEST_CASE("reference data: short and long integers use their range and wrap", "[pure]") {
  struct Case {
    ElementType type;
    double large;
  };
  for (const Case& c : {Case{ElementType::i8, 0x1p6}, {ElementType::i16, 0x1p14}, {ElementType::i64, 0x1p62}}) {
    const DataSpec spec{c.type, Values::exact, 3};
    const Buffer a = operand(spec, 0, 1000), b = operand(spec, 1, 1000), sum = merged(spec, {0, 1}, 1000);
    bool large = false, wrapped = false;
    for (std::size_t i = 0; i < 1000; ++i) {
      large |= std::abs(value(spec, a, i)) > c.large;
      wrapped |= std::abs(value(spec, a, i) + value(spec, b, i) - value(spec, sum, i)) > c.large;
    }
    CHECK((large && wrapped));
    CHECK(wrong(sum, spec, {0, 1}) == 0);
  }
}

TEST_CASE("reference data: i32 uses the full range and wraps", "[pure]") {
  const DataSpec spec{ElementType::i32, Values::exact, 3};
  const Buffer a = operand(spec, 0, 1000), b = operand(spec, 1, 1000);
  const Buffer sum = merged(spec, {0, 1}, 1000);
  bool large = false, wrapped = false;
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::int64_t x = at<std::int32_t>(a, i), y = at<std::int32_t>(b, i);
    large |= std::abs(x) > 2000000000;
    wrapped |= x + y != at<std::int32_t>(sum, i);
  }
  CHECK(large);
  CHECK(wrapped);
  CHECK(wrong(sum, spec, {0, 1}) == 0);
}

TEST_CASE("reference data: random operands lie from -1 to below 1 and their sums round", "[pure]") {
  const auto type = GENERATE(ElementType::f32, ElementType::f16, ElementType::bf16);
  const DataSpec spec{type, Values::random, 3};
  const Buffer b = operand(spec, 2, 10000);
  double sum = 0, low = 1, high = -1;
  for (std::size_t i = 0; i < 10000; ++i) {
    const double x = value(spec, b, i);
    CHECK(x >= -1);
    CHECK(x < 1);
    sum += x;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  CHECK(std::abs(sum) < 300);  // uniform: five standard deviations of 10000 draws are 289
  CHECK(low < -0.99);
  CHECK(high > 0.99);
  const auto order = first_ranks(16);
  const std::vector<int> other(order.rbegin(), order.rend());
  CHECK(merged(spec, order, 10000) != merged(spec, other, 10000));  // otherwise no tolerance would be needed
}

TEST_CASE("reference data: operands depend only on seed, rank and index", "[pure]") {
  const auto type = GENERATE(from_range(std::begin(all_types), std::end(all_types)));
  const auto values = GENERATE(Values::exact, Values::random);
  const Buffer a = operand({type, values, 1}, 3, 9000);
  CHECK(operand({type, values, 1}, 3, 9000) == a);
  CHECK(operand({type, values, 2}, 3, 9000) != a);
  CHECK(operand({type, values, 1}, 4, 9000) != a);
  const Buffer prefix = operand({type, values, 1}, 3, 777);
  CHECK(std::equal(prefix.begin(), prefix.end(), a.begin()));  // independent of the size

  // A block at an unaligned position in the middle equals the same range of the whole.
  const DataSpec spec{type, values, 1};
  const std::size_t size = element_size(type);
  ReferenceSum own(spec, {3});
  own.load(4099, 3001);
  CHECK(std::equal(own.expected().begin(), own.expected().end(), a.begin() + static_cast<std::ptrdiff_t>(4099 * size)));
  CHECK(own.expected().size() == 3001 * size);
}

TEST_CASE("reference data: the first operands are the same on every machine", "[pure]") {
  // 64 random bits of group 0, lowest lane first, from random.h, computed independently with Python.
  const Buffer f32 = operand({ElementType::f32, Values::exact, 1}, 0, 4);
  const Buffer i32 = operand({ElementType::i32, Values::exact, 1}, 0, 2);
  const Buffer f16 = operand({ElementType::f16, Values::exact, 1}, 0, 8);
  const std::uint64_t word = 0x4599EDF4C3BCBC8D;
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(at<float>(f32, i) == static_cast<float>(static_cast<std::int16_t>(word >> (16 * i))));
  for (std::size_t i = 0; i < 2; ++i) CHECK(at<std::int32_t>(i32, i) == static_cast<std::int32_t>(word >> (32 * i)));
  for (std::size_t i = 0; i < 8; ++i) {
    const auto nibble = static_cast<int>((word >> (8 * i + 4)) & 15);
    CHECK(static_cast<int>(from_f16(at<std::uint16_t>(f16, i))) == (nibble < 8 ? nibble : nibble - 16));
  }
}

TEST_CASE("reference data: every wrong element is counted", "[pure]") {
  const auto type = GENERATE(from_range(std::begin(all_types), std::end(all_types)));
  const DataSpec spec{type, Values::exact, 1};
  const auto ranks = first_ranks(16);
  const std::size_t size = element_size(type);
  const Buffer right = merged(spec, ranks, 10000);
  SECTION("single bits") {
    Buffer spoilt = right;
    for (const std::size_t i : {0U, 1U, 4095U, 4096U, 9999U}) spoilt[i * size] ^= 1;
    CHECK(wrong(spoilt, spec, ranks) == 5);
    CHECK(count_wrong({right.data(), spoilt.data(), spoilt.data()}, right.size(), spec, ranks) == 10);
  }
  SECTION("the sign of zero") {
    Buffer spoilt = right;
    std::size_t i = 0;
    while (i < 10000 && value(spec, right, i) != 0) ++i;
    if (type == ElementType::f16) {  // sums of the other types are rarely 0
      REQUIRE(i < 10000);
      spoilt[i * size + size - 1] ^= 0x80;
      CHECK(wrong(spoilt, spec, ranks) == 1);
    }
  }
  SECTION("an operand that is missing, or added twice") {
    const auto few = first_ranks(15);
    // An operand is zero in 1 of 4 elements (bf16), of 16 (f16), of 256 (i8), of 65536 (f32).
    const std::uint64_t most = type == ElementType::bf16  ? 7300
                               : type == ElementType::f16 ? 9000
                               : type == ElementType::i8  ? 9900
                                                          : 9990;
    CHECK(wrong(merged(spec, few, 10000), spec, ranks) > most);
    Buffer twice = right;
    const Buffer again = operand(spec, 4, 10000);
    apply(ReduceOp::sum, type, twice.data(), again.data(), twice.size());
    CHECK(wrong(twice, spec, ranks) > most);
  }
  SECTION("a block at a wrong address") {
    Buffer shifted = right;
    std::rotate(shifted.begin(), shifted.begin() + 128, shifted.end());
    CHECK(wrong(shifted, spec, ranks) > 9300);
  }
}

TEST_CASE("reference data: the tolerance of random values is (n-1) u sum|x|", "[pure]") {
  const auto type = GENERATE(ElementType::f32, ElementType::f16);
  const DataSpec spec{type, Values::random, 1};
  const double unit_roundoff = type == ElementType::f32 ? 0x1p-24 : 0x1p-11;
  const int n = 16;
  double exact = 0, magnitude = 0;
  for (int r = 0; r < n; ++r) {
    const double x = value(spec, operand(spec, r, 1), 0);
    exact += x;
    magnitude += std::abs(x);
  }
  const auto with_error = [&](double error) {
    const auto x = static_cast<float>(exact + error);
    Buffer b(element_size(type));
    const std::uint16_t h = to_f16(x);
    std::memcpy(b.data(), type == ElementType::f32 ? static_cast<const void*>(&x) : &h, b.size());
    return wrong(b, spec, first_ranks(n));
  };
  const double bound = (n - 1) * unit_roundoff * magnitude;
  CHECK(with_error(0) == 0);
  CHECK(with_error(0.96 * bound) == 0);
  CHECK(with_error(-0.96 * bound) == 0);
  CHECK(with_error(1.04 * bound) == 1);
  CHECK(with_error(-1.04 * bound) == 1);
  CHECK(with_error(std::numeric_limits<double>::quiet_NaN()) == 1);
  CHECK(with_error(std::numeric_limits<double>::infinity()) == 1);
}

TEST_CASE("reference data: a broadcast must be correct bit for bit", "[pure]") {
  const auto type = GENERATE(from_range(std::begin(all_types), std::end(all_types)));
  const DataSpec spec{type, Values::random, 1};
  Buffer copy = operand(spec, 5, 20000);
  CHECK(wrong(copy, spec, {5}) == 0);
  CHECK(wrong(copy, spec, {4}) > 19900);
  copy[7 * element_size(type)] ^= 1;
  CHECK(wrong(copy, spec, {5}) == 1);
  if (type != ElementType::f16) return;  // a zero is rare in the other types
  std::size_t zero = 0;
  while (at<std::uint16_t>(copy, zero) != 0) ++zero;
  copy[2 * zero + 1] ^= 0x80;  // -0
  CHECK(wrong(copy, spec, {5}) == 2);
}

TEST_CASE("reference data: a sum covers exactly the listed ranks, and their number is limited", "[pure]") {
  const DataSpec spec{ElementType::f32, Values::exact, 1};
  CHECK(wrong(merged(spec, {2, 9, 13}, 1000), spec, {2, 9, 13}) == 0);
  CHECK(wrong(merged(spec, {2, 9, 13}, 1000), spec, {0, 1, 2}) > 990);
  CHECK_THROWS_AS(ReferenceSum(spec, {}), std::invalid_argument);
  CHECK_THROWS_AS(ReferenceSum(spec, first_ranks(257)), std::invalid_argument);
}

TEST_CASE("reference data: min and max are the least and greatest operand, bit for bit", "[pure]") {
  const auto type = GENERATE(from_range(std::begin(all_types), std::end(all_types)));
  const DataSpec least{type, Values::exact, 7, ReduceOp::min}, greatest{type, Values::exact, 7, ReduceOp::max};
  const std::vector<int> ranks = first_ranks(4);
  const Buffer low = merged(least, ranks, 3000), high = merged(greatest, ranks, 3000);
  double of_one = 0, of_four = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    REQUIRE(value(least, low, i) <= value(greatest, high, i));
    of_one += value(least, operand(least, 0, 3000), i) / 3000;
    of_four += value(least, low, i) / 3000;
  }
  CHECK(of_four < of_one);
  CHECK(wrong(high, least, ranks) > 2900);
  // one of four ranks is missing: it holds the extreme element in one of four positions
  const std::uint64_t lost = wrong(merged(least, first_ranks(3), 3000), least, ranks);
  CHECK(lost > 600);
  CHECK(lost < 900);
}

}  // namespace tributary::test_reference_data
