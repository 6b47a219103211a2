#pragma once
/// MemoryReads: the bursts of a port hub whose data a memory of limited rate has to deliver.

#include <cstdint>
#include <optional>

#include "modules/base/host/ring_queue.h"
#include "modules/base/units.h"
#include "modules/streams/core/memory_rate.h"

namespace tributary {

/// Without a limit there are no reads: the data of a burst are ready with the burst.
class MemoryReads {
 public:
  /// A burst, and the time at which its data are requested.
  struct Read {
    Tick ready;
    std::uint32_t copy;
    std::uint8_t lane;
  };

  /// `rate`: null without a limit.
  explicit MemoryReads(MemoryRate* rate) : rate_(rate != nullptr && rate->limited() ? rate : nullptr) {}

  bool limited() const { return rate_ != nullptr; }
  void add(const Read& read);
  /// Returns the time of the next request, or `never`.
  Tick next() const { return reads_.empty() ? never : reads_.front().ready; }
  /// Removes the first read that is due at `now`; empty if none is.
  std::optional<Read> take(Tick now);
  /// Requests data, and returns the time at which the memory begins to deliver them. Only if limited().
  Tick request(std::uint64_t bytes, Tick now) { return rate_->request(MemoryUse::read, bytes, now).begin; }
  void reset() { reads_.clear(); }

 private:
  MemoryRate* rate_;
  RingQueue<Read> reads_;  // in the order of `ready`
};

}  // namespace tributary
