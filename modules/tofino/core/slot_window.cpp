#include "modules/tofino/core/slot_window.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {

void SlotWindow::start(const Config& config, Tick now) {
  if (config.slots == 0) throw std::invalid_argument("a window must have slots");
  config_ = config;
  slots_.assign(std::max(1u, std::min(config.slots, config.packets)), Slot{});
  config_.queue = std::max(config.queue, slots_size());
  completions_.assign(config_.queue, 0);
  ready_.clear();
  timers_.clear();
  never_used_ = sent_ = done_ = 0;
  limit_ = ~0u;
  resendings_ = round_trips_ = 0;
  started_ = now;
}

void SlotWindow::purge() {
  while (!timers_.empty()) {
    const Timer t = timers_.front();
    const Slot& slot = slots_[slot_of(t.packet)];
    if (slot.in_flight && slot.packet == t.packet && slot.deadline == t.when) return;
    timers_.pop();
  }
}

Tick SlotWindow::next() {
  if (finished()) return never;
  const bool more = !ready_.empty() || (never_used_ < slots_size() && never_used_ < config_.packets);
  if (more && outstanding() < limit_) return started_;
  purge();
  return timers_.empty() ? never : timers_.front().when;
}

void SlotWindow::arm(Slot& slot, Tick now) {
  if (config_.timeout == never) return;
  slot.deadline = now + config_.timeout;
  timers_.push(Timer{slot.deadline, slot.packet});
}

SlotWindow::Sending SlotWindow::take(Tick now) {
  purge();
  Sending sending;
  if (!timers_.empty() && timers_.front().when <= now) {
    sending.packet = timers_.front().packet;
    sending.resent = true;
    timers_.pop();
    ++resendings_;
  } else if (never_used_ < slots_size() && never_used_ < config_.packets) {
    sending.packet = never_used_++;  // before the packets whose slots have become free: packets are sent in order
  } else {
    sending.packet = ready_.front();
    ready_.pop();
  }
  sending.slot = slot_of(sending.packet);
  sending.version = (sending.packet / slots_size() & 1) != 0;
  Slot& slot = slots_[sending.slot];
  if (!sending.resent) {
    slot.packet = sending.packet;
    slot.in_flight = true;
    // A result frees a place in the queue: packet n, in order of sending, enters it at result n - `queue`, or at the start.
    slot.queued = sent_ < config_.queue ? started_ : completions_[sent_ % config_.queue];
    ++sent_;
  }
  arm(slot, now);
  return sending;
}

bool SlotWindow::accept(std::uint32_t packet, Tick now) {
  if (packet >= config_.packets || !in_flight(packet)) return false;
  Slot& slot = slots_[slot_of(packet)];
  slot.in_flight = false;
  round_trips_ += now - slot.queued;
  completions_[done_ % config_.queue] = now;
  ++done_;
  if (packet + std::uint64_t{slots_size()} < config_.packets) ready_.push(packet + slots_size());
  return true;
}

void SlotWindow::send_again(std::uint32_t packet, Tick now) {
  if (!in_flight(packet)) return;
  Slot& slot = slots_[slot_of(packet)];
  slot.deadline = now;
  timers_.insert_sorted([](const Timer& a, const Timer& b) { return a.when < b.when; }, Timer{now, packet});
}

std::string SlotWindow::waiting() const {
  if (finished()) return "";
  std::uint32_t oldest = ~0u;
  for (const Slot& s : slots_)
    if (s.in_flight) oldest = std::min(oldest, s.packet);
  if (oldest == ~0u) return std::to_string(config_.packets - done_) + " packets to send";
  return "packet " + std::to_string(oldest) + " (slot " + std::to_string(slot_of(oldest)) + ") waits for its result, " +
         std::to_string(outstanding()) + " in flight";
}

}  // namespace tributary
