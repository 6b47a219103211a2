#pragma once
/// ReductionCore: times at which a NIC's accelerator adds received chunks (Huang et al., ISCA 2021, IV-A, Table III).

#include <algorithm>
#include <cstdint>
#include <deque>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/nic/core/nic_ports.h"
#include "modules/nic/nic_params.h"

namespace tributary {

/// Chunks enter the unit in sequence. Each occupies it for ceil(ceil(elements / units) / width) passes and its interval, and
/// is added when the passes and its latency are over. Chunks are added in the order in which they have entered. A unit may
/// answer later, and may say later when it accepts the next chunk; chunks enter it at the end of the passes before, at the
/// earliest, and wait in it.
class ReductionCore : public ReductionPort, private AnswerListener {
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
  Tick add(Tick now, std::uint64_t elements, std::uint64_t chunk, ReductionListener& listener) override {
    const Tick start = std::max(now, idle_at_), passes = time(elements);
    const AccessTime extra = unit_ == nullptr ? AccessTime{latency_} : unit_->add(start, elements, chunk, *this);
    busy_probe_(start, 1);  // cancels the end of the previous chunk, if that is now
    if (__builtin_expect(extra.pending() || !pending_.empty() || !open_.empty(), 0))
      return await(start, passes, extra, listener);
    idle_at_ = start + passes + extra.interval;
    busy_probe_(idle_at_, 0);
    busy_time_ += idle_at_ - start;
    return added_ = std::max(added_, start + passes + extra.latency);
  }
  Tick idle_at() const override { return __builtin_expect(open_.empty(), 1) ? idle_at_ : never; }
  void combine(std::byte* sum, const std::byte* data, std::uint64_t elements, ElementType type, ReduceOp op,
               std::uint64_t chunk) override {
    if (unit_ == nullptr) return ReductionPort::combine(sum, data, elements, type, op, chunk);
    unit_->combine(sum, data, elements, type, op, chunk);
  }
  /// Returns the total busy time since the last reset.
  Tick busy_time() const { return busy_time_; }
  void reset() {
    idle_at_ = added_ = busy_time_ = accepted_at_ = 0;
    pending_.clear();
    open_.clear();
  }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "busy", busy_probe_, SignalKind::level, 1, "a chunk occupies the adders");
  }

 private:
  struct Pending {
    Ticket ticket;
    Tick passes, answer;  // answer: without the passes; never: not known
    ReductionListener* listener;
  };
  struct Open {
    Ticket ticket;
    Tick start;
    ReductionListener* listener;
  };
  [[gnu::cold]] Tick await(Tick start, Tick passes, const AccessTime& extra, ReductionListener& listener);
  // AnswerListener: the unit
  void answered(Ticket ticket, Tick when) override;
  void accepted(Ticket ticket, Tick when) override;

  std::uint64_t units_, width_;
  Tick pass_, latency_;
  ReductionUnitPort* unit_;
  Tick idle_at_ = 0, added_ = 0, busy_time_ = 0;  // added_: the latest chunk is added
  Tick accepted_at_ = 0;                          // end of the latest interval that has followed
  std::deque<Pending> pending_;                   // chunks without a time, and later ones
  std::deque<Open> open_;                         // chunks whose interval follows
  SignalProbe busy_probe_;
};

}  // namespace tributary
