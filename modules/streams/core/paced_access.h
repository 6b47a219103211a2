#pragma once
/// PacedAccess: the operand traffic of a kernel or of a step of a channel, slice by slice.

#include <algorithm>
#include <cstdint>

#include "modules/base/host/wide.h"
#include "modules/base/units.h"
#include "modules/streams/core/memory_rate.h"

namespace tributary {

/// Work on arrays that would last `duration` if it waited for no memory. Each slice of its result is requested when the work
/// reaches it. The work ends later by the time that slices have waited, or were served more slowly than the work goes on.
class PacedAccess {
 public:
  /// A wait of the work for the memory.
  struct Wait {
    Tick from = 0, until = 0;
  };

  /// Starts work at `now` on a result of `bytes`, with `accesses` bytes of traffic for each of them.
  void begin(Tick now, std::uint64_t bytes, unsigned accesses, Tick duration) {
    start_ = now, bytes_ = bytes, accesses_ = accesses, duration_ = duration;
    done_ = 0, waited_ = 0;
  }
  /// True if slices are left to request.
  bool requests() const { return done_ < bytes_; }
  /// Returns the time by which the work is later than without waits.
  Tick waited() const { return waited_; }
  /// Returns the time of the next request; after the last one, the end of the work.
  Tick next() const {
    if (done_ == bytes_) return start_ + duration_ + waited_;
    return start_ + waited_ + static_cast<Tick>(static_cast<Wide>(duration_) * done_ / bytes_);
  }
  /// Requests the slice that is due at next().
  Wait request(MemoryRate& memory) {
    const Tick now = next();
    const std::uint64_t slice = std::min(MemoryRate::slice_bytes, bytes_ - done_);
    const MemoryRate::Service service = memory.request(MemoryUse::operand, slice * accesses_, now);
    done_ += slice;
    const Tick end = next();  // without this wait
    const Tick late = std::max(service.begin - now, service.end > end ? service.end - end : 0);
    waited_ += late;
    return {now, now + late};
  }

 private:
  Tick start_ = 0, duration_ = 0, waited_ = 0;
  std::uint64_t bytes_ = 0, done_ = 0;
  unsigned accesses_ = 0;
};

}  // namespace tributary
