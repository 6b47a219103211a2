#include "modules/link/device.h"

#include <algorithm>
#include <cassert>

#include "modules/link/link_protocol.h"

namespace tributary {

Device::Device(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_HAS_PROCESS(Device);
  SC_METHOD(activate);
  sensitive << event_;
  dont_initialize();
}

void Device::activate() {
  ++activations_;
  const Tick now = activation_ = kernel_now();
  const Tick horizon = window_ == 0 ? now : now + window_ - 1;
  scheduled_ = horizon + 1;  // keeps wake() quiet: run_until reports what comes next
  const Tick next = run_until(horizon);
  scheduled_ = never;
  assert(next > horizon);
  wake(next);
}

void Device::schedule(Tick when) {
  const Tick start = window_ == 0 ? when : when - when % window_;
  assert(start >= kernel_now() && "a decision would come before its window");
  scheduled_ = start;
  event_.notify(to_sc_time(start - kernel_now()));
}

}  // namespace tributary
