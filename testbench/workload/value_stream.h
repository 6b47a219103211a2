#pragma once
/// Integers from which operands are made: a function of (seed, rank, element index), the same on every machine.

#include <cstddef>
#include <cstdint>

#include "modules/base/element.h"

namespace tributary::workload {

/// exact: integers small enough that every partial sum over up to `max_ranks` is exact in the element type. random: reals
/// in [-1, 1), whose sums are rounded. Integer types are always exact: the full range, wrapping.
enum class Values : std::uint8_t { exact, random };

inline constexpr int max_ranks = 1024;
/// Sums of more ranks have operands that are narrower by two bits.
inline constexpr int few_ranks = 256;
/// bf16 represents integers exactly only up to 256: exact sums of values down to -2 allow fewer ranks.
inline constexpr int max_exact_bf16_ranks = 128;

struct DataSpec {
  ElementType type = ElementType::f32;
  Values values = Values::exact;
  std::uint64_t seed = 1;
  ReduceOp op = ReduceOp::sum;
  bool many = false;  ///< the sums have more than few_ranks
};

/// Element i of rank r is v(i) x 2^-scale, where v is a lane of 64 random bits, shifted right (so signed, and not
/// symmetric):
///   f32 exact 16 bits, [-2^15, 2^15): sums below 2^24     f32 random 24 bits, scale 23
///   f16 exact 4 bits, [-8, 7]: sums up to 2^11            f16 random 11 bits, scale 10
///   bf16 exact 2 bits, [-2, 1]: sums of 128 up to 2^8    bf16 random 8 bits, scale 7
///   i8 8 bits, i16 16 bits, i32 32 bits
///   f64, i64 24 bits, times a factor (f64_exact, f64_random, i64_factor)
/// With `many` ranks, exact f32 and f16, random f32, f64 and i64 have two bits less. Hence every sum is an integer that fits
/// in 32 bits; those of i8, i16 and i32 wrap. min and max never round, so they always use the wider values of `random`.
struct Encoding {
  std::size_t lane_bytes;
  int shift;
  int scale;
};
Encoding encoding(const DataSpec& spec);

/// Factors of v. Sums of 256 times 24 bits, or 1024 times 22 bits, of exact f64 are below 2^53. Random f64 are below 1 and
/// have 53 bits, so that sums round. i64 cover their range, and sums wrap.
inline constexpr double f64_exact = (1 << 20) + 7, f64_random = 0x1.921FB54442D18p-24;
inline constexpr std::uint64_t i64_factor = (std::uint64_t{1} << 40) - 87;

class ValueStream {
 public:
  ValueStream(const DataSpec& spec, int rank);

  /// Reads v of elements first to first + count - 1.
  void read(std::uint64_t first, std::size_t count, std::int32_t* v) const;
  /// sum[i] += v (modulo 2^32) and, unless null, magnitude[i] += |v|.
  void add(std::uint64_t first, std::size_t count, std::uint32_t* sum, std::uint32_t* magnitude) const;
  /// best[i] = the lesser (with `greater`, the greater) of best[i] and v.
  void select(std::uint64_t first, std::size_t count, bool greater, std::int32_t* best) const;

 private:
  Encoding encoding_;
  std::uint64_t key_;
};

}  // namespace tributary::workload
