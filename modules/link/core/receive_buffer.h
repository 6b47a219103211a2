#pragma once
/// ReceiveBuffer: the far end of a link without credits: drops packets that do not fit, or requests a pause in time.

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>

#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// Buffer of one VC, in flits of the protocol. Calls are in order of time. They return the pause to send back, if one is
/// due, in quanta (0: resume; PauseFlowControl).
class ReceiveBuffer {
 public:
  struct Config {
    unsigned capacity = 0;
    unsigned stop_above = ~0u;  ///< requests a pause above this occupancy ...
    unsigned go_below = 0;      ///< ... and ends it at or below this one
    unsigned quanta = 0xFFFF;   ///< length of a pause
    Tick quantum = 0;
  };
  struct Counts {
    std::uint64_t packets = 0, flits = 0;
  };
  struct Answer {
    bool taken;
    std::optional<unsigned> pause;
  };
  explicit ReceiveBuffer(const Config& config) : config_(config) {}

  /// Accepts a packet, or drops and counts it (`taken` is false).
  Answer arrive(Tick now, unsigned flits) {
    if (held_ + flits > config_.capacity) {
      ++dropped_.packets, dropped_.flits += flits;
      drops(now, dropped_.packets);
      return {false, std::nullopt};
    }
    held_ += flits;
    peak_ = std::max(peak_, held_);
    level(now, held_);
    if (held_ <= config_.stop_above || stopped()) return {true, std::nullopt};
    return {true, stop(now)};
  }
  /// A packet leaves the buffer.
  std::optional<unsigned> leave(Tick now, unsigned flits) {
    assert(held_ >= flits);
    held_ -= flits;
    level(now, held_);
    if (!stopped() || held_ > config_.go_below) return std::nullopt;
    refresh_at_ = never;
    return 0;
  }
  /// Returns the time at which the pause must be renewed to last; `never` without one.
  Tick refresh_at() const { return refresh_at_; }
  unsigned refresh(Tick now) { return stop(now); }

  unsigned held() const { return held_; }
  unsigned peak() const { return peak_; }
  const Counts& dropped() const { return dropped_; }
  void reset() { held_ = peak_ = 0, dropped_ = {}, refresh_at_ = never; }

  SignalProbe level, drops;

 private:
  bool stopped() const { return refresh_at_ != never; }
  unsigned stop(Tick now) {
    refresh_at_ = now + config_.quanta * config_.quantum / 2;
    return config_.quanta;
  }

  Config config_;
  unsigned held_ = 0, peak_ = 0;
  Counts dropped_;
  Tick refresh_at_ = never;
};

}  // namespace tributary
