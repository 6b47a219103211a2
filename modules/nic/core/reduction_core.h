#pragma once
/// ReductionCore: times at which a NIC's accelerator adds received chunks (Huang et al., ISCA 2021, IV-A, Table III).

#include <algorithm>
#include <cstdint>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/nic/core/nic_ports.h"
#include "modules/nic/nic_params.h"

namespace tributary {

/// Chunks enter the unit in sequence. Each occupies it for ceil(ceil(elements / units) / width) passes and its interval, and
/// is added when the passes and its latency are over. Chunks are added in the order in which they have entered.
class ReductionCore : public ReductionPort {
 public:
  /// `unit`: null for the model's own, whose latency is the parameter.
  ReductionCore(const ReductionUnitParams& params, Time clock, ReductionUnitPort* unit = nullptr)
      : units_(params.units),
        width_(params.width),
        pass_(params.cycles * clock.value),
        latency_(params.latency.value),
        unit_(unit) {}

  Tick time(std::uint64_t elements) const {
    const std::uint64_t per_unit = (elements + units_ - 1) / units_;
    return (per_unit + width_ - 1) / width_ * pass_;
  }
  Tick add(Tick now, std::uint64_t elements) override {
    const Tick start = std::max(now, idle_at_), passes = time(elements);
    const AccessTime extra = unit_ == nullptr ? AccessTime{latency_} : unit_->add(start, elements);
    busy_probe_(start, 1);  // cancels the end of the previous chunk, if that is now
    idle_at_ = start + passes + extra.interval;
    busy_probe_(idle_at_, 0);
    busy_time_ += idle_at_ - start;
    return added_ = std::max(added_, start + passes + extra.latency);
  }
  Tick idle_at() const override { return idle_at_; }
  void combine(std::byte* sum, const std::byte* data, std::uint64_t elements, ElementType type, ReduceOp op) override {
    if (unit_ == nullptr) return ReductionPort::combine(sum, data, elements, type, op);
    unit_->combine(sum, data, elements, type, op);
  }
  /// Returns the total busy time since the last reset.
  Tick busy_time() const { return busy_time_; }
  void reset() { idle_at_ = added_ = busy_time_ = 0; }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "busy", busy_probe_, SignalKind::level, 1, "a chunk occupies the adders");
  }

 private:
  std::uint64_t units_, width_;
  Tick pass_, latency_;
  ReductionUnitPort* unit_;
  Tick idle_at_ = 0, added_ = 0, busy_time_ = 0;  // added_: the latest chunk is added
  SignalProbe busy_probe_;
};

}  // namespace tributary
