#pragma once
/// DmaReader: fetches the chunk of an issued entry from memory (Huang et al., ISCA 2021, IV-A).

#include <algorithm>
#include <cstdint>

#include "modules/base/host/wide.h"
#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/nic/nic_params.h"

namespace tributary {

/// A request {StartAddr, Size} is answered after the memory's latency, then at its rate; requests are served in sequence,
/// and answered in that order.
class DmaReader {
 public:
  explicit DmaReader(const NicMemoryParams& params) : rate_(params.rate.value_or(bytes_per_second(0)).value) {}

  /// Times at which data are available: the first and the last byte, and evenly in between.
  struct Burst {
    Tick first, last;
    std::uint64_t bytes;

    /// Returns the time at which the first `n` bytes are available, rounded up.
    Tick at(std::uint64_t n) const {
      return n >= bytes || first == last
                 ? last
                 : first + static_cast<Tick>((static_cast<Wide>(last - first) * n + bytes - 1) / bytes);
    }
  };
  /// Returns the time at which the memory accepts a request that is made at `now`.
  Tick accepts(Tick now) const { return std::max(now, free_at_); }
  /// `latency`: from the acceptance to the first byte. `interval`: from the last byte to the next acceptance.
  Burst request(Tick now, std::uint64_t bytes, Tick latency, Tick interval = 0) {
    const Tick start = accepts(now), lasts = time(bytes);
    free_at_ = start + lasts + interval;
    request_probe_(now, bytes);
    const Tick first = std::max(start + latency, answered_);
    return {first, answered_ = first + lasts, bytes};
  }
  void reset() { free_at_ = answered_ = 0; }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "dma.request", request_probe_, SignalKind::strobe, 32, "DMA request to memory (bytes)");
  }

 private:
  Tick time(std::uint64_t bytes) const {
    if (rate_ == 0) return 0;
    return static_cast<Tick>((static_cast<Wide>(bytes) * 1'000'000'000'000ull + rate_ - 1) / rate_);
  }
  std::uint64_t rate_;               // 0: unlimited
  Tick free_at_ = 0, answered_ = 0;  // answered_: last byte of the latest request
  SignalProbe request_probe_;
};

}  // namespace tributary
