#pragma once
/// DCQCN: congestion control of RDMA NICs (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015):
/// reaction point and notification point of a queue pair.

#include <cstdint>
#include <string>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/roce/roce_params.h"

namespace tributary {

/// DcqcnParams with all automatic fields resolved. Rates are in bytes per second.
struct DcqcnConfig {
  bool on = false;
  double g = 0;
  Tick alpha_period = 0, decrease_period = 0, increase_timer = 0;
  std::uint64_t byte_counter = 0;
  std::uint32_t recovery_stages = 0;
  double ai = 0, hai = 0, min_rate = 0, line_rate = 0;
  bool clamp_target = true;
  Tick cnp_interval = 0;

  static DcqcnConfig of(const DcqcnParams& params, Bandwidth line_rate);
};

/// Reaction point, at the sender. A CNP cuts the rate (Eq. 1):
///   target = rate, rate = rate (1 - alpha / 2), alpha = (1 - g) alpha + g
/// After each period without a CNP, alpha = (1 - g) alpha (Eq. 2). A timer and a byte counter increase the rate; both
/// restart with each cut. While neither has counted more than `recovery_stages` increases, an increase is rate = (target +
/// rate) / 2 (Eq. 3). After that the target rises first: by `ai` (Eq. 4), or by `hai` once both counts are above
/// `recovery_stages`. A CNP that arrives less than the decrease period after a cut takes effect at the end of that period.
/// If the timer expires at that time, the cut comes first and restarts it.
/// Without `clamp_target`, the target stays at the value set by the first of several cuts until an increase by time.
///
/// The times of calls never decrease. Each call first performs, step by step, all that was due before it, so this class
/// needs no events, and timers of idle queue pairs cost nothing.
class Dcqcn {
 public:
  explicit Dcqcn(const DcqcnConfig& config) : config_(config) { reset(); }

  /// A CNP has arrived.
  void notify(Tick now);
  /// A packet of `bytes` bytes on the wire starts at `now`. Returns the earliest start of the next packet.
  Tick sent(unsigned bytes, Tick now);

  /// Rate in bytes per second, as of the latest call.
  double rate() const { return rate_; }
  double target() const { return target_; }
  double alpha() const { return alpha_; }
  /// Lowest rate since the last reset.
  double least_rate() const { return least_; }
  /// True if the rate is below the line rate.
  bool limited() const { return limited_; }
  void reset();
  /// Adds the probe `prefix`rate.
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "rate", rate_probe, SignalKind::level, 32,
                         "rate of DCQCN in Mb/s, at the packets and CNPs that see it change");
  }

  SignalProbe rate_probe;

 private:
  void advance(Tick now);
  void decay(Tick now);
  void cut(Tick when);
  void increase();
  void show(Tick now) {
    if (rate_probe.observed()) rate_probe(now, static_cast<std::uint64_t>(rate_ * 8e-6));
  }

  DcqcnConfig config_;
  double rate_ = 0, target_ = 0, alpha_ = 0, least_ = 0;
  bool limited_ = false, cut_held_ = false;
  Tick last_cut_ = never;                          // never: no cut yet
  Tick alpha_at_ = never;                          // next decay of alpha
  Tick timer_at_ = never;                          // next increase by time
  std::uint64_t bytes_ = 0;                        // since the last increase by bytes
  std::uint32_t time_stage_ = 0, byte_stage_ = 0;  // increases since the last cut
};

/// Notification point, at the receiver: spaces the CNPs of a queue pair.
class CongestionNotifier {
 public:
  explicit CongestionNotifier(const DcqcnConfig& config) : config_(config) {}
  /// A packet with a congestion mark (ECN CE) has arrived. Returns true if it is answered by a CNP.
  bool marked(Tick now) {
    if (!config_.on || now < next_) return false;
    next_ = now + config_.cnp_interval;
    return true;
  }
  void reset() { next_ = 0; }

 private:
  DcqcnConfig config_;
  Tick next_ = 0;
};

}  // namespace tributary
