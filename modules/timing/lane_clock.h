#pragma once
/// LaneClock: the process that runs the steps of lanes at kernel times.

#include <systemc>

#include "modules/timing/lanes.h"

namespace tributary {

/// Kernel time does not advance during a step, in which lanes advance on their own until the next event of the kernel.
class LaneClock : public sc_core::sc_module {
 public:
  LaneClock(const sc_core::sc_module_name& name, unsigned count);
  Lanes& lanes() { return lanes_; }
  const Lanes& lanes() const { return lanes_; }
  /// No lane runs beyond this time, as Device::stop_at().
  void stop_at(Tick when) { stop_ = when; }
  /// Lets all lanes meet after each wake-up, so that Lanes::later() calls come before any later one.
  void keep_step() { in_step_ = true; }
  /// Schedules the next step of all processes, if lanes run in several of them. Call after members have been scheduled
  /// between steps.
  void agree();

 private:
  void step();
  void wake(Tick when);
  Tick end_of_step(Tick now) const;

  sc_core::sc_event event_;
  Tick scheduled_ = never;  // time for which the event is notified
  Tick stop_ = never;
  bool in_step_ = false;
  Lanes lanes_;
};

}  // namespace tributary
