#include "testbench/run/watchdog.h"

namespace tributary {

Tick Watchdog::slice(Tick now, Tick next) const {
  const Tick end = last_progress_ + window_;
  if (end <= now) return shortest_;
  Tick length = shortest_;
  if (next > now) {
    const Tick pending = std::min(next - now, end - now);
    length = std::max(length, (pending + shortest_ - 1) / shortest_ * shortest_);
  }
  return std::min(length, end - now);
}

void Watchdog::observe(Tick now, std::uint64_t progress) {
  if (progress == progress_) return;
  progress_ = progress;
  last_progress_ = std::max(last_progress_, now);
}

}  // namespace tributary
