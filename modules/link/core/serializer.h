#pragma once
/// Serializer: times of flits (or bytes) on a wire or a crossbar port, exact below a picosecond.

#include <stdexcept>

#include "modules/base/host/wide.h"
#include "modules/base/units.h"

namespace tributary {

/// A server of `rate` bytes per second, in flits of `flit_size` bytes (1 if packets have any length). Back-to-back packets
/// keep the remainder of the division, so that a long transfer does not drift; an idle server restarts at a whole
/// picosecond.
class Serializer {
 public:
  Serializer(Bandwidth rate, unsigned flit_size) : rate_(rate.value) {
    if (rate_ == 0) throw std::invalid_argument("the rate of a serializer is zero");
    const auto picoseconds_of_a_flit = static_cast<Wide>(flit_size) * 1'000'000'000'000ull;
    flit_time_ = static_cast<Tick>(picoseconds_of_a_flit / rate_);
    flit_remainder_ = static_cast<std::uint64_t>(picoseconds_of_a_flit % rate_);
  }

  /// Serves `flits` from `start` on (not before free_at()); returns when the last one has passed. The packet ends no
  /// earlier than `tail`, the time at which its last flit is available.
  Tick serve(Tick start, unsigned flits, Tick tail = 0) {
    const Tick end = start + flits * flit_time_;
    if (flit_remainder_ != 0) return serve_exactly(start, flits, end, tail);
    return free_ = end < tail ? tail : end;
  }
  /// Extends the service of the present packet by `extra`.
  void extend(Tick extra) { free_ += extra; }
  Tick free_at() const { return free_; }
  /// Returns the time of a flit on an idle server, rounded down.
  Tick flit_time() const { return flit_time_; }
  void reset() { free_ = 0, remainder_ = 0; }

 private:
  Tick serve_exactly(Tick start, unsigned flits, Tick end, Tick tail) {
    if (start > free_) remainder_ = 0;
    free_ = end + (rate_ < narrow && flits < narrow_flits ? carry<std::uint64_t>(flits) : carry<Wide>(flits));
    if (free_ < tail) free_ = tail, remainder_ = 0;
    return free_;
  }
  /// Returns the whole picoseconds of the accumulated remainders and keeps the rest.
  template <class Word>
  Tick carry(unsigned flits) {
    const Word remainder = static_cast<Word>(flits) * flit_remainder_ + remainder_;
    remainder_ = static_cast<std::uint64_t>(remainder % rate_);
    return static_cast<Tick>(remainder / rate_);
  }
  // bytes per second: below this, a 64-bit word holds the remainders of ...
  static constexpr std::uint64_t narrow = std::uint64_t{1} << 48;
  static constexpr unsigned narrow_flits = 1u << 15;  // ... fewer flits than this

  std::uint64_t rate_;
  Tick flit_time_;
  std::uint64_t flit_remainder_;  // in 1/rate of a picosecond, like remainder_
  Tick free_ = 0;
  std::uint64_t remainder_ = 0;
};

}  // namespace tributary
