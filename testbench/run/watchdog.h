#pragma once
/// Watchdog: divides a run into slices, and expires after a window without progress.

#include <algorithm>
#include <cstdint>

#include "modules/base/units.h"

namespace tributary {

class Watchdog {
 public:
  /// No progress is required before `start`. `shortest`: usual length of a slice.
  Watchdog(Tick start, Tick window, Tick shortest)
      : window_(window), shortest_(std::min(shortest, window)), last_progress_(start) {}

  /// Returns the length of the slice that begins at `now`, with the next event at `next`. It is usually short, because the
  /// session checks its state between slices; while nothing happens, it is a multiple of the shortest slice. So progress is
  /// seen at the same times in both modes, and the watchdog expires at the same time.
  Tick slice(Tick now, Tick next) const;
  /// Takes a change of the count of arrivals and similar events for progress.
  void observe(Tick now, std::uint64_t progress);
  /// Timers run until `end`, which counts as progress.
  void extend(Tick end) { last_progress_ = std::max(last_progress_, end); }
  bool expired(Tick now) const { return now >= last_progress_ + window_; }

 private:
  Tick window_, shortest_, last_progress_;
  std::uint64_t progress_ = 0;
};

}  // namespace tributary
