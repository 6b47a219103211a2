#include "modules/timing/device.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>
// <systemc> leaves out the header of sc_spawn().
#include <sysc/kernel/sc_spawn.h>

#include "modules/base/sysc/time_resolution.h"
#include "modules/link/link_protocol.h"

namespace tributary {
namespace {

/// Returns the latest grid point not after `when`.
Tick on_grid(Tick when, Tick grid, Tick phase) { return when < phase ? 0 : when - (when - phase) % grid; }

}  // namespace

Windows Windows::of(Tick lookahead, Tick delay, Tick host_latency, WakeOrder order) {
  constexpr Tick most = 1'000'000'000;  // 1 ms: times in a transfer are 32-bit offsets from its first
  if (order.index >= order.count)
    throw std::invalid_argument("wake order " + std::to_string(order.index) + " of " + std::to_string(order.count));
  const Tick grid = (lookahead + delay) / lookahead * lookahead;
  const Tick ahead = std::clamp(host_latency, lookahead, std::max(lookahead, std::min(2 * grid, most)));
  return {lookahead, grid, lookahead / order.count * order.index, ahead};
}

Device::Device(const sc_core::sc_module_name& name) : sc_module(name) {
  require_picoseconds();
  SC_HAS_PROCESS(Device);
  SC_METHOD(activate);
  method_ = sc_core::sc_get_last_created_process_handle();
  sensitive << event_;
  dont_initialize();
}

void Device::end_of_elaboration() { require_picoseconds(); }

void Device::set_windows(const Windows& w) {
  if (w.lookahead != 0 && (w.ahead < w.lookahead || w.grid < w.lookahead || w.grid % w.lookahead != 0))
    throw std::invalid_argument("a device's windows are shorter than its lookahead, or not a multiple of it");
  windows_ = w;
}

/// Returns the time of the lane, or of the kernel.
inline Tick Device::time() const {
  const Tick kernel = kernel_now();
  return __builtin_expect(lane_ != nullptr, 0) ? lane_->now(kernel) : kernel;
}

Tick Device::window_end(Tick now) const {
  return std::min(on_grid(now, windows_.grid, windows_.phase) + windows_.grid, now + windows_.ahead - 1);
}

void Device::activate() {
  ++activations_;
  activation_ = kernel_now();
  const Tick now = now_ = time();
  scheduled_ = 0;  // disables wake(): the core returns its next event
  const Tick limit = now + windows_.ahead;
  const Tick next = windows_.lookahead == 0 ? run_until(now) : run_ahead((now < stop_ ? std::min(limit, stop_) : limit) - 1);
  scheduled_ = never;
  if (next <= now) throw std::logic_error(std::string(name()) + " would wake again at the same instant forever");
  wake(next);
}

void Device::start_thread() {
  if (lane_ != nullptr) throw std::logic_error(std::string(name()) + ": a device of a lane cannot wait in calls");
  method_.disable();
  sc_core::sc_spawn_options options;
  options.set_sensitivity(&event_);
  options.dont_initialize();
  options.set_stack_size(1 << 20);
  const auto run = [this] {
    for (;; sc_core::wait()) activate_in_thread();
  };
  sc_core::sc_spawn(run, sc_core::sc_gen_unique_name("device_thread"), &options);
}

void Device::activate_in_thread() {
  ++activations_;
  const Tick now = now_ = activation_ = kernel_now();
  scheduled_ = requested_ = never;
  running_ = true;
  const Tick next = run_until(now);
  running_ = false;
  if (kernel_now() != now) throw std::logic_error(std::string(name()) + ": a part has waited for time in a call");
  if (next <= now) throw std::logic_error(std::string(name()) + " would wake again at the same instant forever");
  after_run();
  wake(std::min(next, requested_));
}

// Chooses the latest grid point before `when`: fewer wake-ups with more work each, together with other devices.
void Device::schedule(Tick when) {
  if (running_) {
    requested_ = std::min(requested_, when);
    return;
  }
  const Tick now = time();
  Tick start = when;
  if (windows_.lookahead != 0) {
    start = on_grid(when, windows_.grid, windows_.phase);
    if (start <= now) start = on_grid(when, windows_.lookahead, windows_.phase);
    if (start <= now) start = when;  // the time at which the run stops
  }
  assert(start >= now && "a decision would come before its window");
  if (start >= scheduled_) return;
  scheduled_ = start;
  if (__builtin_expect(lane_ != nullptr, 0)) return lane_->enqueue(start, order_, *this);
  event_.notify(to_sc_time(start - now));
}

}  // namespace tributary
