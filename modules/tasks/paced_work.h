#pragma once
/// Work that is done at a rate which changes: exact in integers.

#include "modules/base/units.h"

namespace tributary {

/// What is left of a task, in ps x `full`, and the rate at which it is done, `rate` of `full` a picosecond.
class PacedWork {
 public:
  PacedWork() = default;
  /// Takes `time` at full rate. time x full must fit in 64 bits: with full = 840 times up to 6 hours.
  PacedWork(Tick now, Tick time, std::uint64_t full) : left_(time * full), since_(now), rate_(full) {}

  void set_rate(Tick now, std::uint64_t rate) {
    const Tick done = (now - since_) * rate_;
    left_ = done < left_ ? left_ - done : 0;
    since_ = now, rate_ = rate;
  }
  /// The first picosecond at which all is done, if the rate stays; `never` at rate 0.
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
