#pragma once
/// Fixed point: converts float32 to int32 values that a switch can add (SwitchML, Sapio et al., and ATP, Lao et al., NSDI
/// 2021).

#include <cstddef>
#include <cstdint>

namespace tributary {

class FixedPoint {
 public:
  /// A value times `scale` is rounded to the nearest integer, ties to even. Sums of `workers` values fit into 31 bits and a
  /// sign.
  FixedPoint(double scale, unsigned workers);
  /// Returns the largest scale, a power of two, for values below 2^exponent.
  static FixedPoint of_exponent(int exponent, unsigned workers);

  /// Returns false, and leaves `out` undefined, if a value is not a number or too large.
  bool encode(const float* in, std::size_t count, std::int32_t* out) const;
  void decode(const std::int32_t* in, std::size_t count, float* out) const;
  double scale() const { return scale_; }
  /// Largest scaled value of one worker.
  std::int32_t limit() const { return limit_; }

 private:
  double scale_;
  std::int32_t limit_;
};

inline constexpr int least_exponent = -160, no_exponent = 160;

/// Returns the least e, from least_exponent on, with all values below 2^e; no_exponent if a value is not a number.
int exponent_of(const float* values, std::size_t count);

/// Adds `count` values to `sum`. Returns false if a sum has exceeded 32 bits (it wraps).
bool add(std::int32_t* sum, const std::int32_t* values, std::size_t count);

}  // namespace tributary
