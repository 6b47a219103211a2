#pragma once
/// AcceleratorClock: edges of the clock of an accelerator.

#include "modules/base/units.h"

namespace tributary {

class AcceleratorClock {
 public:
  explicit AcceleratorClock(Tick period) : period_(period) {}

  /// Sets an edge at `now`, so that a run does not depend on earlier runs.
  void align(Tick now) { phase_ = now % period_; }
  /// Returns the first edge at or after `t`.
  Tick edge(Tick t) const { return (t - phase_ + period_ - 1) / period_ * period_ + phase_; }
  Tick cycles(unsigned n) const { return n * period_; }

 private:
  Tick period_;
  Tick phase_ = 0;  // offset of the edges, less than a period
};

}  // namespace tributary
