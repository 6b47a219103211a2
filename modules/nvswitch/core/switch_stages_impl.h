#pragma once
/// BasicSwitchCore: egress stages: operands queue, are served, and results go back to the crossbar or to the link.

#include <algorithm>
#include <cassert>
#include <utility>

#include "modules/nvswitch/core/basic_switch_core.h"

namespace tributary {

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::serve_stage(unsigned port, Tick now) {
  EgressStage& s = *stages_[port];
  if (s.event_pending || (s.consumed.empty() && s.passing.empty())) return;
  if (s.line.free_at() > now) {
    s.event_pending = true;
    events_.set(stage_event + port, s.line.free_at());
    return;
  }
  if (!s.passing.empty()) return start_service(port, s.passing, now);
  const bool room = reserve_replication(port);
  if (s.stalled == room) s.stalled = !room, s.stall_probe(now, s.stalled ? 1 : 0);
  if (room) start_service(port, s.consumed, now);
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::start_service(unsigned port, PooledQueue<EgressStage::Operand>& from, Tick now) {
  EgressStage& s = *stages_[port];
  Packet* const packet = from.front().packet;
  const Tick tail = from.front().tail;
  const std::uint8_t flits = from.front().flits, vc = from.front().vc;
  from.pop();
  const bool passing = &from == &s.passing;
  s.line.serve(now, flits, tail);
  const StageOutcome outcome = forwarding_.operate(port, packet, now, s.line.free_at());
  if (outcome.extra_time != 0) s.line.extend(outcome.extra_time);
  s.to_link = outcome.link;
  s.to_inject = outcome.inject;
  s.frees_entry = outcome.frees_entry;
  if (passing) {
    if (outcome.bypass != nullptr) send_reserved(port, outcome.bypass, vc, flits, now, s.line.free_at());
    if (outcome.bypass == nullptr && outcome.link == nullptr)
      links_[port].release(vc, flits, now), crossbar_.room_freed(port);
  } else {
    s.consumed_flits -= flits;
    s.queue_probe(now, s.consumed_flits);
    crossbar_.room_freed(port);
    if (outcome.inject_at_once) inject(port, outcome.inject, now), s.to_inject = nullptr;
    if (s.to_inject == nullptr) unreserve_replication(port);
    arm_timer(port, now);
  }
  if (s.delivers() || !s.consumed.empty() || !s.passing.empty()) {
    s.event_pending = true;
    events_.set(stage_event + port, s.line.free_at());
  }
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::end_service(unsigned port, Tick now) {
  EgressStage& s = *stages_[port];
  s.event_pending = false;
  if (Packet* const packet = std::exchange(s.to_link, nullptr))
    send_reserved(port, packet, packet->vc, flits_of<NvLink>(*packet), now, now);
  if (Packet* const packet = std::exchange(s.to_inject, nullptr)) inject(port, packet, now);
  if (std::exchange(s.frees_entry, false)) {
    forwarding_.finish(port, now);
    retry_stalled(port, now);
  }
  serve_stage(port, now);
  if (!s.event_pending) events_.set(stage_event + port, never);
}

// This packet alone may hold the missing room; no link event is then due before it leaves.
template <unsigned max_ports>
void BasicSwitchCore<max_ports>::send_reserved(unsigned port, Packet* packet, unsigned vc, unsigned flits, Tick now,
                                               Tick tail) {
  links_[port].push_reserved(packet, vc, flits, now, tail);
  links_.sending(port);
  full_ &= ~Outputs::of(port);  // the queue has received a packet
  if (crossbar_.blocked()[port]) await_room(port, now);
}

template <unsigned max_ports>
bool BasicSwitchCore<max_ports>::reserve_replication(unsigned port) {
  if (replicated_flits_[port] + NvLink::max_packet_flits > config_.replication_flits) return false;
  replicated_flits_[port] += NvLink::max_packet_flits;
  stages_[port]->reserved = true;
  return true;
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::unreserve_replication(unsigned port) {
  EgressStage& s = *stages_[port];
  if (!s.reserved) return;
  s.reserved = false;
  replicated_flits_[port] -= NvLink::max_packet_flits;
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::inject(unsigned port, Packet* packet, Tick now) {
  const unsigned requester = replication * stride + port;
  unreserve_replication(port);
  replicated_flits_[port] += flits_of<NvLink>(*packet);
  flits_probes_[requester](now, flits_of<NvLink>(*packet));
  const RouteDecision decision = forwarding_.route_injected(port, *packet);
  enqueue(requester, packet, decision, now, now);
  look_at_head(requester);
  route_waiting(requester, now);
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::replication_freed(unsigned port, unsigned flits, Tick now) {
  assert(replicated_flits_[port] >= flits);
  replicated_flits_[port] -= flits;
  if (stages_[port]->stalled) serve_stage(port, now);
  arm_timer(port, now);
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::time_out(unsigned port, Tick now) {
  stages_[port]->timer_armed = false;
  while (forwarding_.next_timeout(port) <= now) {
    if (replicated_flits_[port] + NvLink::max_packet_flits > config_.replication_flits)
      return;  // replication_freed() arms the timer again
    const bool reserved = stages_[port]->reserved;
    stages_[port]->reserved = false;  // the operand in service owns that room
    if (Packet* const packet = forwarding_.expire(port, now)) inject(port, packet, now);
    stages_[port]->reserved = reserved;
    retry_stalled(port, now);
  }
  arm_timer(port, now);
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::arm_timer(unsigned port, Tick now) {
  EgressStage& s = *stages_[port];
  if (s.timer_armed) return;
  const Tick next = forwarding_.next_timeout(port);
  if (next == never) return;
  if (next <= now && replicated_flits_[port] + NvLink::max_packet_flits > config_.replication_flits) return;
  s.timer_armed = true;
  events_.set(timer_event + port, std::max(next, now));
}

}  // namespace tributary
