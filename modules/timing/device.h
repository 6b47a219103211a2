#pragma once
/// Device: base of a switch or endpoint, with its one process and one event.

#include <systemc>

#include "modules/base/units.h"
#include "modules/timing/lanes.h"

namespace tributary {

/// Position of a device among all devices of a platform, which wake one after another.
struct WakeOrder {
  unsigned index = 0, count = 1;
};

/// Window parameters of a device, in picoseconds.
struct Windows {
  Tick lookahead = 0;  ///< minimum delay of any effect of another device on this one; 0: one wake-up per event time
  Tick grid = 0;       ///< busy devices wake at multiples of this (of the lookahead if they have run less far),
  Tick phase = 0;      ///< counted from this time
  Tick ahead = 0;      ///< maximum time that the device runs ahead of kernel time

  /// Returns windows for devices around switches that hold each packet for `delay` before it has an effect, and a host with
  /// command latency `host_latency`. All devices wake within a lookahead, one after another: a later one uses the safe
  /// times that its neighbours have just sent. Throws std::invalid_argument for an index beyond the last one.
  static Windows of(Tick lookahead, Tick delay, Tick host_latency, WakeOrder order);
};

/// Advances a core in windows, by arithmetic on integer picoseconds (docs/timing.md): events of other devices that are not
/// yet known cannot have an effect before the window's end. In reference mode it wakes at each of its own event times; the
/// trajectory is the same.
class Device : public sc_core::sc_module, private LaneMember {
 public:
  /// Call before the simulation starts. Throws std::invalid_argument unless lookahead <= ahead and the grid is a multiple
  /// of the lookahead.
  void set_windows(const Windows& windows);
  /// Sets consecutive windows of that length; 0: reference mode.
  void set_window(Tick length) { set_windows({length, length, 0, length}); }
  /// The simulation may end at `when`: the device does not run beyond it before then, so that all devices end at the same
  /// time.
  void stop_at(Tick when) { stop_ = when; }
  std::uint64_t activations() const { return activations_; }
  /// The device wakes in this lane instead of by its event: it runs on the lane's thread. `order`: among the members of the
  /// lane that wake at one time. Call before the simulation starts.
  void set_lane(Lane& lane, unsigned order) { lane_ = &lane, order_ = order; }
  /// The device has links that lead into other lanes. Call before the simulation starts.
  void join_lane() { lane_->join(*this); }

 protected:
  /// Ends the process if the time resolution of SystemC is not 1 ps (require_picoseconds()).
  explicit Device(const sc_core::sc_module_name& name);

  /// Runs the core up to and including `horizon`; returns the time of its next event after it, or `never`.
  virtual Tick run_until(Tick horizon) = 0;
  /// In windows: runs as far as it can, at most up to `limit`.
  virtual Tick run_ahead(Tick limit) { return run_until(limit); }

  /// In reference mode the device runs in a thread: its parts may wait for delta cycles in their calls. No time passes
  /// meanwhile, but other devices run. Call at the start of the simulation.
  void start_thread();
  /// True while the core runs in the thread. Arrivals in this time belong to other processes, and have to wait for
  /// after_run().
  bool runs_in_thread() const { return running_; }
  /// The core has run in the thread.
  virtual void after_run() {}

  /// Returns the kernel time of the latest wake-up, the base of the annotated delays of a running core.
  const Tick& activation() const { return activation_; }
  /// Returns the time of the latest wake-up, which is later than that of the kernel if the lane is ahead of it.
  Tick now() const { return now_; }
  /// Returns the time that a wake-up at `now` must reach so that it need not be followed by another one soon.
  Tick window_end(Tick now) const;
  Tick lookahead() const { return windows_.lookahead; }

  /// Requests a wake-up for an arrival that has an effect at `when`; it must not affect anything that this device has
  /// already done.
  void wake(Tick when) {
    if (when < scheduled_) schedule(when);
  }

 private:
  void end_of_elaboration() override;
  Tick scheduled() const override { return scheduled_; }
  void run_in_lane() override { activate(); }
  void activate();
  Tick time() const;
  void activate_in_thread();
  void schedule(Tick when);

  sc_core::sc_event event_;
  sc_core::sc_process_handle method_;
  Windows windows_;
  Tick activation_ = 0, now_ = 0;
  Tick stop_ = never;
  Tick scheduled_ = never;  // time for which the event is notified
  bool running_ = false;    // in the thread
  Tick requested_ = never;  // wake-up for which others have asked meanwhile
  std::uint64_t activations_ = 0;
  Lane* lane_ = nullptr;  // null: the kernel wakes the device
  unsigned order_ = 0;
};

}  // namespace tributary
