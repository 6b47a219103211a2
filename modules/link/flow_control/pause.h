#pragma once
/// PauseFlowControl: pause frames as in Ethernet (IEEE 802.3x, and 802.1Qbb for each priority): the far end stops the
/// sender of a VC for a number of quanta, or resumes it (0).

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string>

#include "modules/base/host/ring_queue.h"
#include "modules/base/units.h"
#include "modules/protocol/traits.h"

namespace tributary {

/// A pause that arrives at t applies to starts from t + reaction until its quanta, counted from t, have passed; a later
/// pause replaces it. A packet that has started is sent to its end. After a pause is sent, at most (2 x latency + reaction)
/// x rate plus one packet arrives: the headroom of the far end.
class PauseFlowControl {
 public:
  struct Config {
    Tick reaction = 0;  ///< from the arrival of a pause to its effect
    Tick quantum = 0;   ///< unit of a pause: 512 bit times in IEEE 802.3
  };
  static constexpr bool counts_flits = false;
  static constexpr unsigned longest = 0xFFFF;  ///< in quanta

  explicit PauseFlowControl(const Config& config) : config_(config) {}

  Tick may_start(Tick t, unsigned) {
    absorb(t);
    if (t >= until_) return t;
    Tick held = until_;
    for (std::uint32_t i = 0; i < coming_.size() && coming_[i].from <= held; ++i)
      held = std::max(coming_[i].from, coming_[i].until);
    return held;
  }
  void spend(Tick, unsigned) {}
  void give_back(Tick when, unsigned quanta, Tick now) {
    absorb(now);
    coming_.insert_sorted([](const Pause& a, const Pause& b) { return a.from < b.from; }, when + config_.reaction,
                          when + quanta * config_.quantum);
  }
  /// A pause not yet known has no effect before its reaction time.
  Tick decided_until(Tick known, Tick, unsigned, Tick) const { return known + config_.reaction; }
  Tick may_start_with(Tick when, unsigned) const { return when + config_.reaction; }
  bool idle() const { return true; }
  std::string waiting() const { return until_ == 0 ? "" : "paused"; }
  void reset() { coming_.clear(), until_ = 0; }

 private:
  struct Pause {
    Tick from, until;
  };
  void absorb(Tick now) {
    for (; !coming_.empty() && coming_.front().from <= now; coming_.pop()) until_ = coming_.front().until;
  }

  Config config_;
  Tick until_ = 0;           // end of the present pause
  RingQueue<Pause> coming_;  // later pauses, in order of time
};

}  // namespace tributary
