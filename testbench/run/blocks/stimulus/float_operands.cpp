#include "testbench/run/blocks/stimulus/float_operands.h"

#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>

namespace tributary {
namespace {

constexpr std::uint32_t sign_bit = 0x80000000, largest_exponent = 254;
/// Exponent from which 0 to 30 less reaches subnormal numbers.
constexpr std::uint32_t small_exponent = 8;

/// The negative of a number, or a neighbour of it.
std::uint32_t nearly_opposite(StimulusRandom& random, std::uint32_t before) {
  if (random.one_in(2)) return before ^ sign_bit;
  return (before ^ sign_bit) + static_cast<std::uint32_t>(random.below(3)) - 1;
}

/// Fractions with which ties, carries and borrows arise, or any.
std::uint32_t corner_fraction(StimulusRandom& random) {
  constexpr std::uint32_t corners[] = {0, 1, 2, 3, 0x3FFFFF, 0x400000, 0x400001, 0x7FFFFE, 0x7FFFFF};
  if (random.one_in(2)) return static_cast<std::uint32_t>(random.below(1u << 23));
  return corners[random.below(std::size(corners))];
}

/// Returns the bits of an element. `before`: that of the rank below.
std::uint32_t corner_element(StimulusRandom& random, std::uint32_t exponent, std::uint32_t before) {
  constexpr std::uint32_t specials[] = {0, 0x7F800000, 0x7FC00000};
  const std::uint32_t sign = random.one_in(2) ? sign_bit : 0;
  if (random.one_in(16)) return sign | specials[random.below(std::size(specials))];
  if (random.one_in(4)) return nearly_opposite(random, before);
  const auto less = static_cast<std::uint32_t>(random.below(random.one_in(2) ? 3 : 31));
  return sign | (exponent > less ? exponent - less : 0) << 23 | corner_fraction(random);
}

}  // namespace

std::vector<std::byte> special_floats(std::size_t bytes) {
  using Limits = std::numeric_limits<float>;
  const float values[] = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(), -0.0f, 0.0f,
                          Limits::max(),      -Limits::max()};
  std::vector<std::byte> all(bytes);
  for (std::size_t i = 0; i < bytes / sizeof(float); ++i)
    std::memcpy(&all[i * sizeof(float)], &values[i % std::size(values)], sizeof(float));
  return all;
}

OperandData corner_floats(StimulusRandom& random, unsigned ranks, std::size_t bytes) {
  OperandData data(ranks, std::vector<std::byte>(bytes));
  for (std::size_t at = 0; at + sizeof(float) <= bytes; at += sizeof(float)) {
    const std::uint32_t exponent = random.one_in(8)   ? largest_exponent
                                   : random.one_in(8) ? small_exponent
                                                      : 1 + static_cast<std::uint32_t>(random.below(largest_exponent));
    std::uint32_t bits = 0;
    for (std::vector<std::byte>& operand : data) {
      bits = corner_element(random, exponent, bits);
      std::memcpy(&operand[at], &bits, sizeof bits);
    }
  }
  return data;
}

}  // namespace tributary
