#pragma once
/// Credits of one VC: free flits of the buffer at the other end of a link.

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "modules/base/host/ring_queue.h"
#include "modules/base/units.h"

namespace tributary {

/// A returned credit keeps its timestamp until it is absorbed by a decision at or after it, so that no packet leaves
/// before its credit came (docs/engine.md).
class CreditCounter {
 public:
  explicit CreditCounter(unsigned flits) : capacity_(flits), available_(flits) {}

  /// Flits come back at `when`; may arrive out of order of time. No decision is made before `now` any more.
  void give_back(Tick when, unsigned flits, Tick now) {
    if (returned_.size() >= few) absorb(now);
    assert(flits < 1u << flit_bits && when < Tick{1} << (64 - flit_bits));
    under_way_ += flits;
    const Return returned = when << flit_bits | flits;
    if (when >= latest_)  // the usual case: it need not look at what lies there
      latest_ = when, returned_.push(returned);
    else
      returned_.insert_sorted([](Return a, Return b) { return a < b; }, returned);
  }
  /// The earliest time from `t` on at which `flits` are there; `never` if what is known does not suffice.
  Tick available_from(Tick t, unsigned flits) {
    if (available_ >= flits) return t;
    absorb(t);
    return available_ >= flits ? t : std::max(t, when_available(flits));
  }
  /// Earliest time at which `flits` are there: 0 if they are, `never` if what is known does not suffice.
  Tick when_available(unsigned flits) const {
    unsigned sum = available_;
    if (sum >= flits) return 0;
    for (unsigned i = 0; i < returned_.size(); ++i)
      if ((sum += flits_of(returned_[i])) >= flits) return time_of(returned_[i]);
    return never;
  }
  /// Flits that are there at `when` if no more are spent, as far as is known.
  unsigned available_by(Tick when) const {
    unsigned sum = available_ + under_way_;
    for (unsigned i = returned_.size(); i > 0 && time_of(returned_[i - 1]) > when; --i) sum -= flits_of(returned_[i - 1]);
    return sum;
  }
  /// Spends what is there at `now`.
  void spend(Tick now, unsigned flits) {
    if (available_ < flits) absorb(now);
    assert(available_ >= flits);
    available_ -= flits;
  }
  /// Counts what has come back by `now`. Decisions are made in order of time, so this hides nothing from a later one.
  void absorb(Tick now) {
    while (!returned_.empty() && time_of(returned_.front()) <= now) {
      available_ += flits_of(returned_.front());
      under_way_ -= flits_of(returned_.front());
      returned_.pop();
    }
    assert(available_ <= capacity_);
  }
  unsigned available() const { return available_; }
  unsigned capacity() const { return capacity_; }
  /// All credits are home, those still under way included.
  bool all_home() const { return outstanding() == 0; }
  /// Credits held by the far end, those under way home not included.
  unsigned outstanding() const { return capacity_ - available_ - under_way_; }
  void reset() { returned_.clear(), available_ = capacity_, under_way_ = 0, latest_ = 0; }

 private:
  using Return = std::uint64_t;              // time, flits
  static constexpr unsigned flit_bits = 14;  // the rest are picoseconds: 18 minutes
  static Tick time_of(Return r) { return r >> flit_bits; }
  static unsigned flits_of(Return r) { return static_cast<unsigned>(r & ((1u << flit_bits) - 1)); }
  static constexpr unsigned few = 16;  // keeps the queue within a cache line or two

  unsigned capacity_, available_;
  unsigned under_way_ = 0;  // flits in returned_
  Tick latest_ = 0;         // no credit under way has a later time
  RingQueue<Return> returned_;
};

}  // namespace tributary
