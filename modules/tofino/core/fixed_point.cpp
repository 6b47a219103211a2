#include "modules/tofino/core/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tributary {
namespace {

int bits_of(unsigned workers) {
  int bits = 0;
  while (1u << bits < workers) ++bits;
  return bits;
}

}  // namespace

FixedPoint::FixedPoint(double scale, unsigned workers) : scale_(scale), limit_(0) {
  if (!(scale > 0) || workers == 0)
    throw std::invalid_argument("fixed point must have a scale above 0 and at least 1 worker");
  limit_ = static_cast<std::int32_t>(0x7FFFFFFF / workers);
}

FixedPoint FixedPoint::of_exponent(int exponent, unsigned workers) {
  return {std::ldexp(1.0, 30 - bits_of(workers) - exponent), workers};
}

bool FixedPoint::encode(const float* in, std::size_t count, std::int32_t* out) const {
  const double limit = limit_;
  bool fits = true;
  for (std::size_t i = 0; i < count; ++i) {
    const double scaled = std::nearbyint(in[i] * scale_);
    const bool legal = std::abs(scaled) <= limit;  // false if not a number
    fits &= legal;
    out[i] = legal ? static_cast<std::int32_t>(scaled) : 0;
  }
  return fits;
}

void FixedPoint::decode(const std::int32_t* in, std::size_t count, float* out) const {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i] / scale_);
}

int exponent_of(const float* values, std::size_t count) {
  float largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) return no_exponent;
    largest = std::max(largest, std::abs(values[i]));
  }
  return largest == 0 ? least_exponent : std::ilogb(largest) + 1;
}

bool add(std::int32_t* sum, const std::int32_t* values, std::size_t count) {
  bool wrapped = false;
  for (std::size_t i = 0; i < count; ++i) wrapped |= __builtin_add_overflow(sum[i], values[i], &sum[i]);
  return !wrapped;
}

}  // namespace tributary
