#pragma once
/// CreditCounter: credits of one VC, which are free flits of the buffer at the far end of a link.

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "modules/base/host/ring_queue.h"
#include "modules/base/units.h"

namespace tributary {

/// A returned credit keeps its timestamp until a decision at or after that time absorbs it, so that no packet leaves before
/// its credit has arrived (docs/timing.md).
class CreditCounter {
 public:
  explicit CreditCounter(unsigned flits) : capacity_(flits), available_(flits) {}

  /// Adds credits for `flits`, which arrive at `when`; calls may be in any order of time. Later decisions are not before
  /// `now`.
  void give_back(Tick when, unsigned flits, Tick now) {
    if (returned_.size() >= few) absorb(now);
    assert(flits < 1u << flit_bits && when < Tick{1} << (64 - flit_bits));
    in_flight_ += flits;
    const Return returned = when << flit_bits | flits;
    if (when >= latest_)  // the usual case, without a read of the queue's contents
      latest_ = when, returned_.push(returned);
    else
      returned_.insert_sorted([](Return a, Return b) { return a < b; }, returned);
  }
  /// Returns the earliest time from `t` on with `flits` available; `never` if the known credits do not suffice.
  Tick available_from(Tick t, unsigned flits) {
    if (available_ >= flits) return t;
    absorb(t);
    return available_ >= flits ? t : std::max(t, when_available(flits));
  }
  /// Returns the earliest time with `flits` available: 0 if they are now, `never` if the known credits do not suffice.
  Tick when_available(unsigned flits) const {
    unsigned sum = available_;
    if (sum >= flits) return 0;
    for (unsigned i = 0; i < returned_.size(); ++i)
      if ((sum += flits_of(returned_[i])) >= flits) return time_of(returned_[i]);
    return never;
  }
  /// Returns the flits available at `when` from the known credits, if no more are spent.
  unsigned available_by(Tick when) const {
    unsigned sum = available_ + in_flight_;
    for (unsigned i = returned_.size(); i > 0 && time_of(returned_[i - 1]) > when; --i) sum -= flits_of(returned_[i - 1]);
    return sum;
  }
  /// Spends flits available at `now`.
  void spend(Tick now, unsigned flits) {
    if (available_ < flits) absorb(now);
    assert(available_ >= flits);
    available_ -= flits;
  }
  /// Counts the credits returned by `now`. Decisions are in order of time, so no later one is affected.
  void absorb(Tick now) {
    while (!returned_.empty() && time_of(returned_.front()) <= now) {
      available_ += flits_of(returned_.front());
      in_flight_ -= flits_of(returned_.front());
      returned_.pop();
    }
    assert(available_ <= capacity_);
  }
  unsigned available() const { return available_; }
  unsigned capacity() const { return capacity_; }
  /// Returns true if all credits are returned, those in flight included.
  bool all_home() const { return outstanding() == 0; }
  /// Returns the credits held by the far end, without those on their return path.
  unsigned outstanding() const { return capacity_ - available_ - in_flight_; }
  void reset() { returned_.clear(), available_ = capacity_, in_flight_ = 0, latest_ = 0; }

 private:
  using Return = std::uint64_t;              // time and flits
  static constexpr unsigned flit_bits = 14;  // the other bits are picoseconds: 18 minutes
  static Tick time_of(Return r) { return r >> flit_bits; }
  static unsigned flits_of(Return r) { return static_cast<unsigned>(r & ((1u << flit_bits) - 1)); }
  static constexpr unsigned few = 16;  // keeps the queue within one or two cache lines

  unsigned capacity_, available_;
  unsigned in_flight_ = 0;  // flits in returned_
  Tick latest_ = 0;         // latest time of the credits in flight
  RingQueue<Return> returned_;
};

}  // namespace tributary
