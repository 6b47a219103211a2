#pragma once
/// TimeBins: a quantity over time, in equal stretches whose length doubles as time goes on.

#include <cstddef>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// Never more than `most` stretches, whatever the length of a run: of 2^shift ps each, from the last reset on.
class TimeBins {
 public:
  static constexpr std::size_t most = 256;

  void reset() { bins_.clear(), peaks_.clear(), shift_ = 10; }
  /// `value`, all the time from `from` to `to`.
  void add_level(Tick from, Tick to, double value);
  /// An event at a time.
  void add_event(Tick time) { grow(time), bins_[time >> shift_] += 1; }

  unsigned shift() const { return shift_; }
  /// Joins stretches until they are that long.
  void widen(unsigned shift) {
    while (shift_ < shift) halve();
  }
  /// value x ps, or events, by stretch; may end early where nothing follows.
  const std::vector<double>& sums() const { return bins_; }
  /// Largest level by stretch; none of events.
  const std::vector<double>& peaks() const { return peaks_; }

 private:
  void grow(Tick time);
  void halve();

  std::vector<double> bins_, peaks_;
  unsigned shift_ = 10;
};

}  // namespace tributary
