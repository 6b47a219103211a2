#pragma once
/// ReceiveBuffer: the far end of a link whose sender does not count the room there: it drops what does not fit, or asks for
/// a pause in time.

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>

#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// Of one VC, in the protocol's flits. Calls come in order of time. What they return is the pause to send back (quanta, 0:
/// go on; PauseFlowControl), if one is due.
class ReceiveBuffer {
 public:
  struct Config {
    unsigned capacity = 0;
    unsigned stop_above = ~0u;  ///< asks for a pause when more is held ...
    unsigned go_below = 0;      ///< ... and ends it when no more than this is
    unsigned quanta = 0xFFFF;   ///< of a pause
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

  /// A packet arrives. Not taken: it is dropped, and counted.
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
  /// It leaves the buffer.
  std::optional<unsigned> leave(Tick now, unsigned flits) {
    assert(held_ >= flits);
    held_ -= flits;
    level(now, held_);
    if (!stopped() || held_ > config_.go_below) return std::nullopt;
    refresh_at_ = never;
    return 0;
  }
  /// When the pause has to be asked for again so that it does not end too soon; `never` without one.
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
