#pragma once
/// Integers from which operands are made: a function of (seed, rank, element index), the same on every machine.

#include <cstddef>
#include <cstdint>

#include "modules/base/element.h"

namespace tributary::workload {

/// exact: integers small enough that every partial sum over up to `max_ranks` is exact in the element type. random: reals
/// in [-1, 1), whose sums are rounded. i32 is always exact: the full range, wrapping.
enum class Values : std::uint8_t { exact, random };

inline constexpr int max_ranks = 256;
/// bf16 represents integers exactly only up to 256: exact sums of values down to -2 allow fewer ranks.
inline constexpr int max_exact_bf16_ranks = 128;

struct DataSpec {
  ElementType type = ElementType::f32;
  Values values = Values::exact;
  std::uint64_t seed = 1;
  ReduceOp op = ReduceOp::sum;
};

/// Element i of rank r is v(i) x 2^-scale, where v is a lane of 64 random bits, shifted right (so signed, and not
/// symmetric):
///   f32 exact 16 bits, [-2^15, 2^15): sums below 2^24     f32 random 24 bits, scale 23
///   f16 exact 4 bits, [-8, 7]: sums up to 2^11            f16 random 11 bits, scale 10
///   bf16 exact 2 bits, [-2, 1]: sums of 128 up to 2^8    bf16 random 8 bits, scale 7
///   i32 32 bits
/// Hence every sum of 256 operands is an integer that fits in 32 bits. min and max never round, so they always use the
/// wider values of `random`.
struct Encoding {
  std::size_t lane_bytes;
  int shift;
  int scale;
};
Encoding encoding(const DataSpec& spec);

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
