#pragma once
/// Times of flits on a wire or a crossbar port, exact below a picosecond.

#include <array>
#include <stdexcept>

#include "modules/base/units.h"
#include "modules/base/wide.h"
#include "modules/link/packet.h"

namespace tributary {

/// A server that passes `rate` bytes per second. Back-to-back packets keep the remainder of the division, so that a long
/// transfer does not drift; an idle server starts anew at a whole picosecond.
class Serializer {
 public:
  explicit Serializer(Bandwidth rate) : rate_(rate.value) {
    if (rate_ == 0) throw std::invalid_argument("rate of a serializer is zero");
    for (unsigned n = 0; n < duration_.size(); ++n) duration_[n] = divide(n);
  }

  /// Serves `flits` from `start` on (not before free_at()); returns when the last one has passed. A packet whose tail
  /// comes later (`tail`: when its last flit is at hand) ends no sooner.
  Tick serve(Tick start, unsigned flits, Tick tail = 0) {
    const Duration d = flits < duration_.size() ? duration_[flits] : divide(flits);
    if (start > free_) remainder_ = 0;
    free_ = start + d.whole;
    remainder_ += d.remainder;
    if (remainder_ >= rate_) remainder_ -= rate_, ++free_;
    if (free_ < tail) free_ = tail, remainder_ = 0;
    return free_;
  }
  /// The packet in service takes that much longer.
  void extend(Tick extra) { free_ += extra; }
  Tick free_at() const { return free_; }
  /// Time of that many flits on an idle server, rounded down.
  Tick duration(unsigned flits) const { return flits < duration_.size() ? duration_[flits].whole : divide(flits).whole; }
  void reset() { free_ = 0, remainder_ = 0; }

 private:
  struct Duration {
    Tick whole;
    std::uint64_t remainder;  // in 1/rate of a picosecond
  };
  Duration divide(unsigned flits) const {
    const auto numerator = static_cast<Wide>(flits) * flit_bytes * 1'000'000'000'000ull;
    return {static_cast<Tick>(numerator / rate_), static_cast<std::uint64_t>(numerator % rate_)};
  }
  std::uint64_t rate_;
  Tick free_ = 0;
  std::uint64_t remainder_ = 0;
  std::array<Duration, 2 * max_packet_flits> duration_{};
};

}  // namespace tributary
