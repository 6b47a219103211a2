#pragma once
/// LaneClock: the process that runs the steps of lanes at kernel times.

#include <systemc>

#include "modules/timing/lanes.h"

namespace tributary {

/// Kernel time does not advance during a step, so that devices of all lanes may read it.
class LaneClock : public sc_core::sc_module {
 public:
  LaneClock(const sc_core::sc_module_name& name, unsigned count);
  Lanes& lanes() { return lanes_; }
  const Lanes& lanes() const { return lanes_; }

 private:
  void step();
  void wake(Tick when);

  sc_core::sc_event event_;
  Tick scheduled_ = never;  // time for which the event is notified
  Lanes lanes_;
};

}  // namespace tributary
