#pragma once
/// GpuLinks: the links between the GPUs of a host.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "platforms/netreduce/host_params.h"

namespace tributary {

/// A GPU sends one transfer at a time, and receives one at a time, at the rate Bi. Transfers are served in the order of
/// their requests. Data arrive one hop after they have been sent (Liu et al., Eqs. (2) and (3): alpha + bytes / Bi).
class GpuLinks {
 public:
  struct Transfer {
    Tick read = 0;     ///< the last byte has left the sender's memory
    Tick arrived = 0;  ///< the last byte is in the receiver's memory
  };

  GpuLinks(const HostParams& params, unsigned gpus) : rate_(params.intra_rate), hop_(params.hop.value), gpus_(gpus) {}

  /// Requests a transfer at `now`; call in order of time.
  Transfer send(unsigned from, unsigned to, std::uint64_t bytes, Tick now) {
    Gpu &source = gpus_[from], &sink = gpus_[to];
    const Tick start = std::max({now, source.sends_until, sink.receives_until});
    const Tick end = start + static_cast<Tick>(static_cast<double>(bytes) * 1e12 / static_cast<double>(rate_.value));
    source.sends_until = sink.receives_until = end;
    return {end, end + hop_};
  }
  void reset() { std::fill(gpus_.begin(), gpus_.end(), Gpu{}); }

 private:
  struct Gpu {
    Tick sends_until = 0, receives_until = 0;
  };
  Bandwidth rate_;
  Tick hop_;
  std::vector<Gpu> gpus_;
};

}  // namespace tributary
