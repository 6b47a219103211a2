#pragma once
/// Number of attempts that a transfer over lossy links may need.

#include <algorithm>
#include <cmath>

namespace tributary {

/// Returns the probability that a frame of `bytes` bytes crosses a link undamaged.
inline double crossing(double loss_rate, double bit_error_rate, double bytes) {
  return (1 - loss_rate) * std::pow(1 - bit_error_rate, 8 * bytes);
}

/// Returns a number of attempts: with a larger probability than 1 - 10^-12 each of `parties` has succeeded by then. One
/// attempt succeeds with probability `success`. At most 10^5, because a run that needs more attempts never ends in practice.
inline double attempts(double success, double parties) {
  constexpr double most = 1e5, improbable = 1e-12;
  if (success >= 1) return 1;
  if (success <= 0) return most;
  return std::min(most, std::ceil(std::log(improbable / parties) / std::log1p(-success)));
}

}  // namespace tributary
