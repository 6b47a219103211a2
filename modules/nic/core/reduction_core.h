#pragma once
/// ReductionCore: time that a NIC's accelerator needs to add received chunks (Huang et al., ISCA 2021, IV-A, Table III).

#include <algorithm>
#include <cstdint>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/nic/core/nic_ports.h"
#include "modules/nic/nic_params.h"

namespace tributary {

/// Chunks are added in sequence, each in ceil(ceil(elements / units) / width) passes.
class ReductionCore : public ReductionPort {
 public:
  ReductionCore(const ReductionUnitParams& params, Time clock)
      : units_(params.units), width_(params.width), pass_(params.cycles * clock.value) {}

  Tick time(std::uint64_t elements) const {
    const std::uint64_t per_unit = (elements + units_ - 1) / units_;
    return (per_unit + width_ - 1) / width_ * pass_;
  }
  Tick add(Tick now, std::uint64_t elements) override {
    const Tick start = std::max(now, idle_at_);
    busy_probe_(start, 1);  // cancels the end of the previous chunk, if that is now
    idle_at_ = start + time(elements);
    busy_probe_(idle_at_, 0);
    busy_time_ += idle_at_ - start;
    return idle_at_;
  }
  Tick idle_at() const override { return idle_at_; }
  /// Returns the total busy time since the last reset.
  Tick busy_time() const { return busy_time_; }
  void reset() { idle_at_ = busy_time_ = 0; }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "busy", busy_probe_, SignalKind::level, 1, "chunks are being added");
  }

 private:
  std::uint64_t units_, width_;
  Tick pass_;
  Tick idle_at_ = 0, busy_time_ = 0;
  SignalProbe busy_probe_;
};

}  // namespace tributary
