#pragma once
/// LockstepTimer: the timestep counter and its lockstep down-counter (Huang et al., ISCA 2021, IV-A).

#include <algorithm>
#include <cstdint>
#include <optional>

#include "modules/base/host/wide.h"
#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/nic/nic_params.h"
#include "modules/protocol/segmentation.h"

namespace tributary {

/// Estimates the time of a chunk's flits on a link. If the NI buffer holds the whole chunk, all its flits count; of a
/// larger chunk, the buffer's content has left when the last flit arrives, so only the rest counts (IV-A).
class StepEstimate {
 public:
  StepEstimate(const FlowControlParams& flow_control, std::optional<Bytes> buffer, Bandwidth link_rate)
      : segmentation_(flow_control), buffer_(buffer), rate_(link_rate) {}

  std::uint64_t flits(std::uint64_t bytes) const {
    const std::uint64_t all = segmentation_.flits(bytes);
    const std::uint64_t held = buffer_ ? buffer_->value / ScheduleNicLink::flit_bytes : all;
    return all <= held ? all : all - held;
  }
  /// Returns the time, rounded up to a picosecond. `link_rate`: rate of the link, if it differs.
  Tick time(std::uint64_t bytes, std::optional<Bandwidth> link_rate = {}) const {
    const std::uint64_t rate = link_rate.value_or(rate_).value;
    const Wide picoseconds = static_cast<Wide>(flits(bytes)) * ScheduleNicLink::flit_bytes * 1'000'000'000'000ull;
    return static_cast<Tick>((picoseconds + rate - 1) / rate);
  }

 private:
  Segmentation segmentation_;
  std::optional<Bytes> buffer_;
  Bandwidth rate_;
};

/// Steps count up; no step begins before the down-counter of the previous one has reached zero.
class LockstepTimer {
 public:
  std::uint16_t step() const { return step_; }
  /// Returns the time at which the down-counter reaches zero.
  Tick zero_at() const { return zero_at_; }
  /// Begins a step that lasts at least `time`.
  void begin(std::uint16_t step, Tick now, Tick time) {
    step_ = step;
    zero_at_ = now + time;
    step_probe_(now, step);
    if (time != 0) running_probe_(now, 1), running_probe_(zero_at_, 0);
  }
  /// Reloads the counter for an issued entry.
  void reload(Tick now, Tick time) {
    if (now + time <= zero_at_) return;
    running_probe_(std::max(zero_at_, now), 1);
    running_probe_(zero_at_ = now + time, 0);
  }
  void reset() { step_ = 0, zero_at_ = 0; }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "step", step_probe_, SignalKind::level, 16, "timestep counter; 0 before the first step");
    directory.add_signal(prefix + "lockstep", running_probe_, SignalKind::level, 1, "the lockstep down-counter runs");
  }

 private:
  std::uint16_t step_ = 0;
  Tick zero_at_ = 0;
  SignalProbe step_probe_, running_probe_;
};

}  // namespace tributary
