#pragma once
/// BasicSwitchCore: inputs, events, windows, and links.

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "modules/nvswitch/core/basic_switch_core.h"
#include "modules/switching/core/crossbar_impl.h"

namespace tributary {

template <unsigned max_ports>
BasicSwitchCore<max_ports>::BasicSwitchCore(const SwitchConfig& config, Forwarding& forwarding, LinkOutput& wires,
                                            const std::vector<NvLinkTransmitter*>& transmitters)
    : config_(config), forwarding_(forwarding), links_(transmitters, wires), packets_(links_.arena()) {
  if (config.ports == 0 || config.ports > max_ports)
    throw std::invalid_argument("a switch has 1 to " + std::to_string(max_nvswitch_ports) + " ports");
  if (transmitters.size() != config.ports) throw std::invalid_argument("a switch needs a transmitter for each port");
  if (config.stage_queue_flits < NvLink::max_packet_flits || config.replication_flits < NvLink::max_packet_flits)
    throw std::invalid_argument("a buffer of a switch is smaller than one packet (144 B)");
  for (unsigned p = 0; p < config.ports; ++p) {
    crossbar_.add_input(config.crossbar_rate, NvLink::flit_bytes);
    stages_[p] = std::make_unique<EgressStage>(config.port_rate, links_.arena().template of<ChunkStock>());
  }
  reset();
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::accept(unsigned port, Packet* packet, Tick head, Tick tail) {
  const Tick ready = head + config_.latency;
  const RouteDecision decision = forwarding_.route(port, *packet);
  if (decision.needs_entry && !crossbar_.input(port).eager) make_eager(port);
  const unsigned queue = queue_of(port, packet->vc);
  const bool first = waiting_[queue].empty();
  enqueue(queue, packet, decision, ready, tail + config_.latency);
  if (!first) return;  // its predecessor's removal will update the head
  look_at_head(queue);
  if (head_ready_[queue] == never || (crossbar_.input(port).busy() && !crossbar_.input(port).eager)) return;
  input_events_.advance(port, ready);
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
  arm_link(port, links_.credit(port, first, credits, count, crossbar_.blocked()[port]));
}

template <unsigned max_ports>
Tick BasicSwitchCore<max_ports>::run_until(Tick horizon) {
  assert(!crossbar_.undecided() || handled_ < horizon);
  horizon_ = horizon;
  if (crossbar_.undecided()) match(handled_ + 1);
  for (Tick now = soonest(); now <= horizon_;) {
    handle_next(now);
    Tick next = soonest();
    if (next != now && crossbar_.changed()) {
      match(now);
      next = soonest();
    }
    now = next;
  }
  handled_ = horizon_;
  const Tick next_sent = links_.finish(horizon_, [](const NvLinkTransmitter::Sent&) {});
  return std::min({next_event(), next_sent, crossbar_.undecided() ? handled_ + 1 : never});
}

// Room in a queue is determined when a packet asks for it; the window ends there if it is unknown.
template <unsigned max_ports>
Tick BasicSwitchCore<max_ports>::safe_horizon(Tick now, Tick packets, const Tick* credits) {
  for_each_wanted([](const List& list) { __builtin_prefetch(&list, 1); });
  links_.decide(now, credits);
  Tick horizon = packets;
  crossbar_.blocked().for_each([&](unsigned output) { horizon = std::min(horizon, last_known_room(output)); });
  return std::max(horizon, handled_);
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::prefetch_heads() const {
  for (const List& list : waiting_) packets_.prefetch_first(list);
  for_each_wanted([this](const List& list) { packets_.prefetch_first(list); });
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::prefetch_packets() const {
  for_each_wanted([this](const List& list) { __builtin_prefetch(packets_[list.first].packet); });
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::handle_next(Tick now) {
  if (input_events_.soonest() == now) return input_due(input_events_.next_slot(), now);
  const unsigned slot = events_.next_slot();
  if (slot < link_event) return end_service(slot - stage_event, now);
  events_.set(slot, never);
  if (slot >= timer_event) return time_out(slot - timer_event, now);
  full_ &= ~Outputs::of(slot - link_event);  // from now on a packet may have left
  crossbar_.room_freed(slot - link_event);
}

// ---- inputs

// Packets that became ready while the input was busy have not been routed; they are routed now, as their time has passed.
template <unsigned max_ports>
void BasicSwitchCore<max_ports>::make_eager(unsigned port) {
  crossbar_.input(port).eager = true;  // a packet that waits already precedes all claims and keeps its place
  if (!crossbar_.input(port).busy()) return;
  for (unsigned vc = 0; vc < NvLink::vcs; ++vc) route_waiting(vc * stride + port, handled_);
  input_events_.advance(port, next_head_of(port));
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::route_waiting(unsigned queue, Tick now) {
  while (head_ready_[queue] <= now) {
    const Place place = waiting_[queue].first;
    const Queued& packet = packets_[place];
    const unsigned requester = queue < stride ? packet.vc * stride + queue : queue;
    if (packet.needs_entry && !forwarding_.claim(requester % stride, *packet.packet, now)) {
      stalled_ |= Requesters::of(requester);
      head_ready_[queue] = never;
      stall_probes_[requester](now, 1);
      return;
    }
    packets_.take(waiting_[queue]);
    request(requester, place);
    look_at_head(queue);
  }
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::request(unsigned requester, Place place) {
  const Queued& packet = packets_[place];
  const auto outputs = packet.outputs;
  assert(outputs != 0);
  __builtin_prefetch(packet.packet);  // the packet may have left the cache
  if ((outputs & (outputs - 1)) != 0) return request_copies(requester, place);
  append(requester, Outputs(outputs).first(), place);
}

// A separate function, so that the usual case needs few registers.
template <unsigned max_ports>
void BasicSwitchCore<max_ports>::request_copies(unsigned requester, Place place) {
  const Queued original = packets_[place];
  packets_.release(place);
  const std::uint16_t group = packets_.new_group(original.outputs);
  Outputs(original.outputs).for_each([&](unsigned output) { append(requester, output, packets_.add(original, group)); });
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::append(unsigned requester, unsigned output, Place place) {
  crossbar_.ask(requester, output);
  packets_.append(routed_to_[requester][output], place);
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::retry_stalled(unsigned port, Tick now) {
  for (unsigned requester = port; requester < NvLink::vcs * stride; requester += stride) {
    if (!stalled_[requester]) continue;
    stalled_ &= ~Requesters::of(requester);
    look_at_head(requester);
    route_waiting(requester, now);
    if (!stalled_[requester]) stall_probes_[requester](now, 0);
    arm_input(port);
  }
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::input_due(unsigned port, Tick now) {
  const bool ends = crossbar_.input(port).transfer_end == now;
  for (unsigned vc = 0; vc < NvLink::vcs; ++vc)
    if (head_ready_[vc * stride + port] <= now) route_waiting(vc * stride + port, now);
  if (__builtin_expect(ends, 1)) crossbar_free(port, now);
  arm_input(port);
}

// ---- outputs

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::free_buffer(unsigned port, unsigned vc, unsigned flits, Tick when) {
  flits_probes_[vc * stride + port](when, minus(flits));
  links_.free(port, when, vc, flits);
}

// If the link may not run up to now, no input waits for its queues, only for the egress stage.
template <unsigned max_ports>
void BasicSwitchCore<max_ports>::await_room(unsigned port, Tick now) {
  if (links_.decided_until(port) >= now - 1) arm_link(port, run_link(port, now - 1));
}

// A packet sent at an instant competes with all packets pushed at that instant, so its room is free just after it.
template <unsigned max_ports>
void BasicSwitchCore<max_ports>::arm_link(unsigned port, Tick sent) {
  if (sent != never) events_.advance(link_event + port, std::max(sent, handled_) + 1);
}

}  // namespace tributary
