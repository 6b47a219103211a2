#pragma once
/// ClockDomain: edges of the clock of a block in RTL.

#include <cstdint>

#include "modules/base/units.h"

namespace tributary {

/// Edge e lies at phase + ceil(e x numerator / denominator) ps, so that a rate has exact fractions and no drift.
class ClockDomain {
 public:
  /// Throws std::invalid_argument if the period is 0.
  explicit ClockDomain(Tick period, Tick phase = 0);
  /// Clock of a link: an edge for each `bytes` at `rate`. Throws std::invalid_argument if one of them is 0.
  static ClockDomain of_rate(Bandwidth rate, std::uint64_t bytes);

  /// Returns the number of the first edge at or after `t`.
  std::uint64_t edge_at(Tick t) const;
  Tick time_of(std::uint64_t edge) const;
  /// Returns the time of `edges` periods, rounded up to a picosecond.
  Tick cycles(std::uint64_t edges) const { return time_of(edges) - phase_; }
  /// Moves the edges so that one lies at `t`.
  void align(Tick t);

 private:
  std::uint64_t numerator_, denominator_ = 1;  // ps of an edge
  Tick phase_ = 0;
};

}  // namespace tributary
