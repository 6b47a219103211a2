#pragma once
/// Fixed point: float32 as int32 that a switch can add (SwitchML, Sapio et al., and ATP, Lao et al., NSDI 2021).

#include <cstddef>
#include <cstdint>

namespace tributary {

class FixedPoint {
 public:
  /// `scale` times a value, rounded to the nearest, ties to even; sums of `workers` of them fit into 31 bits and a sign.
  FixedPoint(double scale, unsigned workers);
  /// The largest scale, a power of two, for values below 2^exponent.
  static FixedPoint of_exponent(int exponent, unsigned workers);

  /// False, and `out` means nothing, when a value is not a number or too large.
  bool encode(const float* in, std::size_t count, std::int32_t* out) const;
  void decode(const std::int32_t* in, std::size_t count, float* out) const;
  double scale() const { return scale_; }
  /// Of a single value, scaled.
  std::int32_t limit() const { return limit_; }

 private:
  double scale_;
  std::int32_t limit_;
};

inline constexpr int least_exponent = -160, no_exponent = 160;

/// The least e with all values below 2^e, from least_exponent (also of zeros) on; no_exponent when one is not a number.
int exponent_of(const float* values, std::size_t count);

/// Adds `count` values to `sum`; false when a sum has left 32 bits (it wraps).
bool add(std::int32_t* sum, const std::int32_t* values, std::size_t count);

}  // namespace tributary
