#pragma once
/// DmaReader: fetches the chunk of an issued entry from memory (Huang et al., ISCA 2021, IV-A).

#include <algorithm>
#include <cstdint>

#include "modules/base/host/wide.h"
#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/nic/nic_params.h"

namespace tributary {

/// A request {StartAddr, Size} is answered after the memory's latency, then at its rate; requests are served in sequence.
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
  /// `latency`: memory latency to the first byte.
  Burst request(Tick now, std::uint64_t bytes, Tick latency) {
    const Tick start = std::max(now, free_at_);
    free_at_ = start + time(bytes);
    request_probe_(now, bytes);
    return {start + latency, free_at_ + latency, bytes};
  }
  void reset() { free_at_ = 0; }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "dma.request", request_probe_, SignalKind::strobe, 32, "DMA request to memory (bytes)");
  }

 private:
  Tick time(std::uint64_t bytes) const {
    if (rate_ == 0) return 0;
    return static_cast<Tick>((static_cast<Wide>(bytes) * 1'000'000'000'000ull + rate_ - 1) / rate_);
  }
  std::uint64_t rate_;  // 0: unlimited
  Tick free_at_ = 0;
  SignalProbe request_probe_;
};

}  // namespace tributary
