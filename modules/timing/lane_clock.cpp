#include "modules/timing/lane_clock.h"

#include <algorithm>

#include "modules/link/link_protocol.h"

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

void LaneClock::agree() {
  if (const Tick next = lanes_.agree(); next != never) wake(std::max(next, kernel_now()));
}

/// Returns the time before which nothing outside the lanes happens.
Tick LaneClock::end_of_step(Tick now) const {
  if (in_step_ || now >= stop_ || sc_core::sc_pending_activity_at_current_time()) return now;
  return std::min(stop_, now + Tick{sc_core::sc_time_to_pending_activity().value()});
}

void LaneClock::step() {
  scheduled_ = never;
  const Tick now = kernel_now();
  const Tick next = lanes_.step(now, end_of_step(now));
  if (next != never) wake(std::max(next, now));
}

}  // namespace tributary
