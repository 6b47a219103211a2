#include "modules/rtl/core/clock_domain.h"

#include <numeric>
#include <stdexcept>

#include "modules/base/host/wide.h"

namespace tributary {

ClockDomain::ClockDomain(Tick period, Tick phase) : numerator_(period), phase_(phase) {
  if (period == 0) throw std::invalid_argument("the period of a clock is zero");
}

ClockDomain ClockDomain::of_rate(Bandwidth rate, std::uint64_t bytes) {
  if (rate.value == 0 || bytes == 0) throw std::invalid_argument("the rate of a clock is zero");
  ClockDomain domain(1);
  const std::uint64_t ps = bytes * 1'000'000'000'000ull, divisor = std::gcd(ps, rate.value);
  domain.numerator_ = ps / divisor;
  domain.denominator_ = rate.value / divisor;
  return domain;
}

/// ceil(e x n / d) >= x holds from e x n > (x - 1) x d on.
std::uint64_t ClockDomain::edge_at(Tick t) const {
  if (t <= phase_) return 0;
  return static_cast<std::uint64_t>(static_cast<Wide>(t - phase_ - 1) * denominator_ / numerator_) + 1;
}

Tick ClockDomain::time_of(std::uint64_t edge) const {
  const Wide scaled = static_cast<Wide>(edge) * numerator_;
  return phase_ + static_cast<Tick>((scaled + denominator_ - 1) / denominator_);
}

void ClockDomain::align(Tick t) {
  const Tick period = (numerator_ + denominator_ - 1) / denominator_;
  phase_ = t % period;
}

}  // namespace tributary
