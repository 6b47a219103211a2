#pragma once
/// Device: the one process and the one event that a switch or an endpoint has.

#include <systemc>

#include "modules/base/units.h"

namespace tributary {

/// Advances a core in windows of the netlist's lookahead (docs/architecture.md, The engine). What another device decides
/// inside a window reaches this one in a later window, so everything that matters up to the horizon already lies in its
/// queues. With window 0 (reference mode) it wakes at each of its own event times; the trajectory is the same.
class Device : public sc_core::sc_module {
 public:
  /// Before the simulation starts. Picoseconds; 0: one wake-up per event time.
  void set_window(Tick window) { window_ = window; }
  std::uint64_t activations() const { return activations_; }

 protected:
  explicit Device(const sc_core::sc_module_name& name);

  /// Runs the core up to and including `horizon`; returns the time of its next event after it, or `never`.
  virtual Tick run_until(Tick horizon) = 0;

  /// The kernel's time at the latest wake-up: what the annotated delays of a running core count from.
  const Tick& activation() const { return activation_; }

  /// Something that matters at `when` has arrived; not before the next window.
  void wake(Tick when) {
    if (when < scheduled_) schedule(when);
  }

 private:
  void activate();
  void schedule(Tick when);

  sc_core::sc_event event_;
  Tick window_ = 0;
  Tick activation_ = 0;
  Tick scheduled_ = never;  // start of the window for which the event is notified
  std::uint64_t activations_ = 0;
};

}  // namespace tributary
