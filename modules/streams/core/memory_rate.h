#pragma once
/// MemoryRate: the bandwidth of a GPU's memory, which copies, arrivals, kernels and channels share
/// (docs/blocks/stream_gpu.md#memory).

#include <array>
#include <cstdint>
#include <string>

#include "modules/base/probe.h"
#include "modules/base/units.h"

namespace tributary {

/// A user of the memory's bandwidth.
enum class MemoryUse : std::uint8_t {
  read,     ///< data that leave the GPU
  write,    ///< data that arrive
  operand,  ///< arrays that kernels and channels read and write
};

/// Serves one request after another, in the order of the calls, each at the full rate. A rate of 0 is no limit: every
/// request is served in no time, and nothing is counted.
class MemoryRate {
 public:
  static constexpr std::uint64_t slice_bytes = 4096;  ///< bytes of a kernel's result that it requests at once
  struct Service {
    Tick begin, end;
  };
  struct Counts {
    std::array<std::uint64_t, 3> bytes{};  ///< by MemoryUse
    Tick busy = 0;                         ///< time in which the memory has served requests, ps
  };

  MemoryRate() = default;
  explicit MemoryRate(Bandwidth rate) : rate_(rate.value) {}

  bool limited() const { return rate_ != 0; }
  /// Requests `bytes` at `now`. Times of calls ascend.
  Service request(MemoryUse use, std::uint64_t bytes, Tick now);
  /// Returns the end of the latest request.
  Tick free_at() const { return free_at_; }

  const Counts& counts() const { return counts_; }
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  std::uint64_t rate_ = 0;  // bytes per second
  Tick free_at_ = 0;
  Counts counts_;
  SignalProbe busy_, bytes_;
};

}  // namespace tributary
