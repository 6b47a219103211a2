#pragma once
/// DCQCN: congestion control of RDMA NICs (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015):
/// the reaction point of a queue pair, and its notification point.

#include <cstdint>
#include <string>

#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/roce/roce_params.h"

namespace tributary {

/// DcqcnParams with all fields settled. Rates in bytes per second.
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

/// The sender's side. A CNP cuts the rate, as Eq. (1) has it:
///   target = rate, rate = rate (1 - alpha / 2), alpha = (1 - g) alpha + g
/// and alpha = (1 - g) alpha, Eq. (2), whenever no CNP has come for a period. Increases come by a timer and by a counter of
/// bytes, both begun anew with each cut: the first ones of either (`recovery_stages`) are rate = (target + rate) / 2, Eq.
/// (3), alone; later the target rises first, by `ai`, Eq. (4), or by `hai` when both kinds are beyond that. A CNP that comes
/// less than the decrease period after a cut cuts when it ends. Without `clamp_target` the target stays where the first of
/// several cuts has set it, until an increase by time.
///
/// Nothing happens between calls, whose times only grow: what was due before is done then, one step after another. So it
/// needs no events, and timers of idle queue pairs cost nothing.
class Dcqcn {
 public:
  explicit Dcqcn(const DcqcnConfig& config) : config_(config) { reset(); }

  /// A CNP has come.
  void notify(Tick now);
  /// A packet of so many bytes on the wire starts at `now`; returns the soonest start of the next one.
  Tick sent(unsigned bytes, Tick now);

  /// Bytes per second, as of the latest call.
  double rate() const { return rate_; }
  double target() const { return target_; }
  double alpha() const { return alpha_; }
  /// The lowest since the last reset.
  double least_rate() const { return least_; }
  /// Below the line's rate.
  bool limited() const { return limited_; }
  void reset();
  /// Probe `prefix`rate.
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
  Tick last_cut_ = never;                          // never: none yet
  Tick alpha_at_ = never;                          // when it falls next
  Tick timer_at_ = never;                          // next increase by time
  std::uint64_t bytes_ = 0;                        // since the last increase by bytes
  std::uint32_t time_stage_ = 0, byte_stage_ = 0;  // increases since the cut
};

/// The receiver's side: CNPs of a queue pair keep a distance.
class CongestionNotifier {
 public:
  explicit CongestionNotifier(const DcqcnConfig& config) : config_(config) {}
  /// A packet with the mark of congestion (ECN CE) is there; returns whether a CNP answers it.
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
