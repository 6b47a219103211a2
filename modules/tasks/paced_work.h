#pragma once
/// PacedWork: work that proceeds at a changing rate, in exact integer arithmetic.

#include "modules/base/units.h"

namespace tributary {

/// Holds the remaining work in ps x `full`, and the rate: `rate` of `full` units per picosecond.
class PacedWork {
 public:
  PacedWork() = default;
  /// Needs `time` at full rate. time x full must fit in 64 bits; full = 840 allows up to 6 hours.
  PacedWork(Tick now, Tick time, std::uint64_t full) : left_(time * full), since_(now), rate_(full) {}

  void set_rate(Tick now, std::uint64_t rate) {
    const Tick done = (now - since_) * rate_;
    left_ = done < left_ ? left_ - done : 0;
    since_ = now, rate_ = rate;
  }
  /// Returns the first picosecond at which all work is done at the present rate; `never` at rate 0.
  Tick end() const {
    if (left_ == 0) return since_;
    return rate_ == 0 ? never : since_ + (left_ + rate_ - 1) / rate_;
  }

 private:
  std::uint64_t left_ = 0;
  Tick since_ = 0;
  std::uint64_t rate_ = 1;
};

}  // namespace tributary
