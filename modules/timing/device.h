#pragma once
/// Device: the one process and the one event that a switch or an endpoint has.

#include <systemc>

#include "modules/base/units.h"

namespace tributary {

/// Place of a device among all of a platform, which wake one after another.
struct WakeOrder {
  unsigned index = 0, count = 1;
};

/// How a device advances. Picoseconds.
struct Windows {
  Tick lookahead = 0;  ///< nothing that another device does reaches this one sooner; 0: one wake-up per event time
  Tick grid = 0;       ///< a device with much to do wakes at multiples of that (of the lookahead, when it has run less far),
  Tick phase = 0;      ///< counted from here
  Tick ahead = 0;      ///< it runs at most so far ahead of the kernel's time

  /// For devices around switches in which a packet lies for `delay` before it matters, and a host whose commands take
  /// `host_latency`. All wake within a lookahead, one after another: a device that wakes later has the safe times that its
  /// neighbours have just sent. Throws std::invalid_argument on an index beyond the last one.
  static Windows of(Tick lookahead, Tick delay, Tick host_latency, WakeOrder order);
};

/// Advances a core in windows, by arithmetic on integer picoseconds (docs/engine.md): what is not yet
/// known of other devices cannot matter before the window's end. In reference mode it wakes at each of its own event times;
/// the trajectory is the same.
class Device : public sc_core::sc_module {
 public:
  /// Before the simulation starts. Throws std::invalid_argument unless lookahead <= ahead, and the grid is a multiple of it.
  void set_windows(const Windows& windows);
  /// Windows of that length, one after another; 0: reference mode.
  void set_window(Tick length) { set_windows({length, length, 0, length}); }
  /// The simulation may end at `when`: until then the device does not run beyond it, so that all end at the same time.
  void stop_at(Tick when) { stop_ = when; }
  std::uint64_t activations() const { return activations_; }

 protected:
  explicit Device(const sc_core::sc_module_name& name);

  /// Runs the core up to and including `horizon`; returns the time of its next event after it, or `never`.
  virtual Tick run_until(Tick horizon) = 0;
  /// In windows: as far as it can, and not beyond `limit`.
  virtual Tick run_ahead(Tick limit) { return run_until(limit); }

  /// The kernel's time at the latest wake-up: what the annotated delays of a running core count from.
  const Tick& activation() const { return activation_; }
  Tick lookahead() const { return windows_.lookahead; }

  /// Something that matters at `when` has arrived; nothing that this device has already done depends on it.
  void wake(Tick when) {
    if (when < scheduled_) schedule(when);
  }

 private:
  void activate();
  void schedule(Tick when);

  sc_core::sc_event event_;
  Windows windows_;
  Tick activation_ = 0;
  Tick stop_ = never;
  Tick scheduled_ = never;  // for which the event is notified
  std::uint64_t activations_ = 0;
};

}  // namespace tributary
