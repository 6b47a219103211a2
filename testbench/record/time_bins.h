#pragma once
/// TimeBins: a quantity over time, in equal stretches whose length doubles as needed.

#include <cstddef>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// Has at most `most` stretches of 2^shift ps each from the last reset, for any length of a run.
class TimeBins {
 public:
  static constexpr std::size_t most = 256;

  void reset() { bins_.clear(), peaks_.clear(), shift_ = 10; }
  /// Adds `value` during `from` to `to`.
  void add_level(Tick from, Tick to, double value);
  /// Adds an event.
  void add_event(Tick time) { grow(time), bins_[time >> shift_] += 1; }

  unsigned shift() const { return shift_; }
  /// Merges stretches until they have the given length.
  void widen(unsigned shift) {
    while (shift_ < shift) halve();
  }
  /// Returns value x ps, or the number of events, by stretch; trailing empty stretches may be missing.
  const std::vector<double>& sums() const { return bins_; }
  /// Returns the largest level by stretch; empty for events.
  const std::vector<double>& peaks() const { return peaks_; }

 private:
  void grow(Tick time);
  void halve();

  std::vector<double> bins_, peaks_;
  unsigned shift_ = 10;
};

}  // namespace tributary
