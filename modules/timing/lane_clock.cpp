#include "modules/timing/lane_clock.h"

namespace tributary {

LaneClock::LaneClock(const sc_core::sc_module_name& name, unsigned count)
    : sc_module(name), lanes_(count, [this](Tick when) { wake(when); }) {
  SC_HAS_PROCESS(LaneClock);
  SC_METHOD(step);
  sensitive << event_;
  dont_initialize();
}

void LaneClock::wake(Tick when) {
  if (when >= scheduled_) return;
  scheduled_ = when;
  event_.notify(to_sc_time(when - kernel_now()));
}

void LaneClock::step() {
  scheduled_ = never;
  if (const Tick next = lanes_.step(kernel_now()); next != never) wake(next);
}

}  // namespace tributary
