#pragma once
/// BasicSwitchCore: its functions that are not inline. Included once for each number of ports.

#include <algorithm>
#include <array>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "modules/base/readable.h"
#include "modules/base/waiting_since.h"
#include "modules/nvswitch/core/basic_switch_core.h"
#include "modules/switching/core/crossbar_impl.h"

namespace tributary {

// ---- inputs, events, windows and links

template <unsigned max_ports, bool own_arbiter>
BasicSwitchCore<max_ports, own_arbiter>::BasicSwitchCore(const SwitchConfig& config, Forwarding& forwarding,
                                                         LinkOutput& wires,
                                                         const std::vector<NvLinkTransmitter*>& transmitters)
    : config_(config), forwarding_(forwarding), links_(transmitters, wires), packets_(links_.arena()) {
  if (config.ports == 0 || config.ports > max_ports)
    throw std::invalid_argument("a switch has 1 to " + std::to_string(max_nvswitch_ports) + " ports");
  if (transmitters.size() != config.ports) throw std::invalid_argument("a switch needs a transmitter for each port");
  if (config.stage_queue_flits < NvLink::max_packet_flits || config.replication_flits < NvLink::max_packet_flits)
    throw std::invalid_argument("a buffer of a switch is smaller than one packet (144 B)");
  crossbar_.set_arbiter(config.arbiter);
  for (unsigned p = 0; p < config.ports; ++p) {
    crossbar_.add_input(config.crossbar_rate, NvLink::flit_bytes);
    stages_[p] = std::make_unique<EgressStage>(config.port_rate, links_.arena().template of<ChunkStock>());
    late_listeners_.emplace_back(*this, p);
    stages_[p]->answers = forwarding_.late_answers(p, late_listeners_.back());
  }
  reset();
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::accept(unsigned port, Packet* packet, Tick head, Tick tail) {
  Tick ready = head + config_.latency;
  if constexpr (own_arbiter) ready += config_.arbitration;
  const Decision decision = route(port, *packet);
  if (decision.needs_entry && !crossbar_.input(port).eager) make_eager(port);
  const unsigned queue = queue_of(port, packet->vc);
  const bool first = waiting_[queue].empty();
  enqueue(queue, packet, decision, ready, own_arbiter ? std::max(tail + config_.latency, ready) : tail + config_.latency);
  if (!first) return;  // its predecessor's removal will update the head
  look_at_head(queue);
  if (head_ready_[queue] == never || (crossbar_.input(port).busy() && !crossbar_.input(port).eager)) return;
  input_events_.advance(port, ready);
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
  arm_link(port, links_.credit(port, first, credits, count, crossbar_.blocked()[port]));
}

template <unsigned max_ports, bool own_arbiter>
Tick BasicSwitchCore<max_ports, own_arbiter>::run_until(Tick horizon) {
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
template <unsigned max_ports, bool own_arbiter>
Tick BasicSwitchCore<max_ports, own_arbiter>::safe_horizon(Tick now, Tick packets, const Tick* credits) {
  for_each_wanted([](const List& list) { __builtin_prefetch(&list, 1); });
  links_.decide(now, credits);
  Tick horizon = packets;
  crossbar_.blocked().for_each([&](unsigned output) { horizon = std::min(horizon, last_known_room(output)); });
  return std::max(horizon, handled_);
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::prefetch_heads() const {
  for (const List& list : waiting_) packets_.prefetch_first(list);
  for_each_wanted([this](const List& list) { packets_.prefetch_first(list); });
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::prefetch_packets() const {
  for_each_wanted([this](const List& list) { __builtin_prefetch(packets_[list.first].packet); });
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::handle_next(Tick now) {
  if (input_events_.soonest() == now) return input_due(input_events_.next_slot(), now);
  const unsigned slot = events_.next_slot();
  if (slot < link_event) return end_service(slot - stage_event, now);
  events_.set(slot, never);
  if (slot >= late_event) return late_due(slot - late_event, now);
  if (slot >= timer_event) return time_out(slot - timer_event, now);
  full_ &= ~Outputs::of(slot - link_event);  // from now on a packet may have left
  crossbar_.room_freed(slot - link_event);
}

// ---- inputs

// Packets that became ready while the input was busy have not been routed; they are routed now, as their time has passed.
template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::make_eager(unsigned port) {
  crossbar_.input(port).eager = true;  // a packet that waits already precedes all claims and keeps its place
  if (!crossbar_.input(port).busy()) return;
  for (unsigned vc = 0; vc < NvLink::vcs; ++vc) route_waiting(vc * stride + port, handled_);
  input_events_.advance(port, next_head_of(port));
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::route_waiting(unsigned queue, Tick now) {
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

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::request(unsigned requester, Place place) {
  const Queued& packet = packets_[place];
  const auto outputs = packet.outputs;
  assert(outputs != 0);
  __builtin_prefetch(packet.packet);  // the packet may have left the cache
  if ((outputs & (outputs - 1)) != 0) return request_copies(requester, place);
  append(requester, Outputs(outputs).first(), place);
}

// A separate function, so that the usual case needs few registers.
template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::request_copies(unsigned requester, Place place) {
  const Queued original = packets_[place];
  packets_.release(place);
  const std::uint16_t group = packets_.new_group(original.outputs);
  Outputs(original.outputs).for_each([&](unsigned output) { append(requester, output, packets_.add(original, group)); });
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::append(unsigned requester, unsigned output, Place place) {
  crossbar_.ask(requester, output);
  packets_.append(routed_to_[requester][output], place);
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::retry_stalled(unsigned port, Tick now) {
  for (unsigned requester = port; requester < NvLink::vcs * stride; requester += stride) {
    if (!stalled_[requester]) continue;
    stalled_ &= ~Requesters::of(requester);
    look_at_head(requester);
    route_waiting(requester, now);
    if (!stalled_[requester]) stall_probes_[requester](now, 0);
    arm_input(port);
  }
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::input_due(unsigned port, Tick now) {
  const bool ends = crossbar_.input(port).transfer_end == now;
  for (unsigned cls = 0; cls < (own_arbiter ? classes : NvLink::vcs); ++cls)
    if (head_ready_[cls * stride + port] <= now) route_waiting(cls * stride + port, now);
  if (__builtin_expect(ends, 1)) crossbar_free(port, now);
  arm_input(port);
}

// ---- outputs

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::free_buffer(unsigned port, unsigned vc, unsigned flits, Tick when) {
  flits_probes_[vc * stride + port](when, minus(flits));
  links_.free(port, when, vc, flits);
}

// If the link may not run up to now, no input waits for its queues, only for the egress stage.
template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::await_room(unsigned port, Tick now) {
  if (links_.decided_until(port) >= now - 1) arm_link(port, run_link(port, now - 1));
}

// A packet sent at an instant competes with all packets pushed at that instant, so its room is free just after it.
template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::arm_link(unsigned port, Tick sent) {
  if (sent != never) events_.advance(link_event + port, std::max(sent, handled_) + 1);
}

// ---- crossbar: room at its outputs, and the crossing of packets

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::match(Tick now) {
  if (!crossbar_.match(*this, now)) horizon_ = now - 1;
}

// The link may not have run up to now. If it has left no room, the window ends at the last instant at which the link's
// state is known, so that a waiting input learns of room in time. An input that asks again before the link can have sent is
// refused immediately.
template <unsigned max_ports, bool own_arbiter>
Room BasicSwitchCore<max_ports, own_arbiter>::find_room(const Queued& packet, unsigned output, Tick now) {
  // an input was granted since: the queues have received packets
  if (!crossbar_.blocked()[output]) full_ &= ~Outputs::of(output);
  if (packet.resource < before_stage) {
    const bool known = links_.decided_until(output) >= now - 1;
    if (known && nothing_sent(output, now)) {
      assert(running_sends_nothing(output, now));
    } else {
      const Tick sent = run_link(output, now - 1);
      if (links_[output].has_room(packet.vc, packet.flits)) return Room::there;
      if (!known) return Room::not_known;
      arm_link(output, sent);
      if (sent != never) full_ |= Outputs::of(output);
    }
    horizon_ = std::min(horizon_, last_known_room(output));
  } else {
    await_room(output, now);
  }
  return Room::none;
}

// Returns true if the queues have received nothing since the last refusal, and the next packet has still to leave.
template <unsigned max_ports, bool own_arbiter>
bool BasicSwitchCore<max_ports, own_arbiter>::nothing_sent(unsigned output, Tick now) const {
  return full_[output] && events_.at(link_event + output) > now;
}

// Checks nothing_sent() by running the link.
template <unsigned max_ports, bool own_arbiter>
bool BasicSwitchCore<max_ports, own_arbiter>::running_sends_nothing(unsigned output, Tick now) {
  const auto queued = [&] { return links_[output].queued_packets(0) + links_[output].queued_packets(1); };
  const unsigned before = queued();
  run_link(output, now - 1);
  return queued() == before;
}

template <unsigned max_ports, bool own_arbiter>
inline typename BasicSwitchCore<max_ports, own_arbiter>::Crossing BasicSwitchCore<max_ports, own_arbiter>::take(
    unsigned requester, unsigned output) {
  List& list = routed_to_[requester][output];
  const Place place = packets_.take(list);
  const Queued& queued = packets_[place];
  const bool last = !queued.shared || packets_.reached(static_cast<std::uint16_t>(queued.outputs), output);
  const Crossing packet{
      queued.packet, queued.ready + queued.tail_after, queued.flits, queued.vc, queued.exit, queued.resource, !list.empty(),
      last};
  packets_.release(place);
  return packet;
}

template <unsigned max_ports, bool own_arbiter>
inline void BasicSwitchCore<max_ports, own_arbiter>::cross(unsigned requester, unsigned output, const Crossing& packet,
                                                           Tick now, Tick end) {
  const unsigned port = requester % stride;
  crossed_flits_ += packet.flits;
  if (__builtin_expect(packet.last, 1)) {
    if (__builtin_expect(requester < replication * stride, 1))
      free_buffer(port, packet.vc, packet.flits, end);
    else
      crossbar_.input(port).replicated_flits = packet.flits;
    if (!config_.virtual_output_queues) look_at_head(requester), route_waiting(requester, now);
  } else {
    packet.packet->acquire();
  }
  arm_input(port);
  if (__builtin_expect(packet.exit != Exit::link, 0)) return enter_stage(output, packet, now, end);
  links_[output].push(packet.packet, packet.vc, packet.flits, now, end);
  links_.sending(output);
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::crossbar_free(unsigned port, Tick now) {
  crossbar_.end_crossing(port);
  const unsigned flits = std::exchange(crossbar_.input(port).replicated_flits, std::uint8_t{0});
  if (__builtin_expect(flits == 0, 1)) return;
  flits_probes_[replication * stride + port](now, minus(flits));
  replication_freed(port, flits, now);
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::enter_stage(unsigned output, const Crossing& packet, Tick now, Tick end) {
  if (packet.exit == Exit::drop) return;
  EgressStage& stage = *stages_[output];
  if (packet.exit == Exit::stage) {
    __builtin_prefetch(packet.packet->payload);
    __builtin_prefetch(packet.packet->payload + block_bytes / 2);
    stage.consumed.push(packet.packet, end, packet.flits, packet.vc);
    stage.consumed_flits += packet.flits;
    stage.queue_probe(now, stage.consumed_flits);
  } else {  // stage_and_link
    links_[output].reserve(packet.vc, packet.flits, now);
    stage.passing.push(packet.packet, end, packet.flits, packet.vc);
  }
  serve_stage(output, now);
}

// ---- egress stages: operands queue and are served; results return to the crossbar or go to the link

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::serve_stage(unsigned port, Tick now) {
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

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::start_service(unsigned port, PooledQueue<EgressStage::Operand>& from,
                                                            Tick now) {
  EgressStage& s = *stages_[port];
  Packet* const packet = from.front().packet;
  const Tick tail = from.front().tail;
  const std::uint8_t flits = from.front().flits, vc = from.front().vc;
  from.pop();
  const bool passing = &from == &s.passing;
  s.line.serve(now, flits, tail);
  StageOutcome outcome = forwarding_.operate(port, packet, now, s.line.free_at());
  if (outcome.interval != 0) s.line.extend(outcome.interval);
  bool held = false;
  if (__builtin_expect(outcome.latency != 0 || s.has_late, 0)) held = hold(port, outcome, now, flits, vc);
  s.to_link = outcome.link;
  s.to_inject = outcome.inject;
  s.frees_entry = outcome.frees_entry;
  if (passing) {
    if (outcome.bypass != nullptr) send_reserved(port, outcome.bypass, vc, flits, now, s.line.free_at());
    if (outcome.bypass == nullptr && outcome.link == nullptr && !held)
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

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::end_service(unsigned port, Tick now) {
  EgressStage& s = *stages_[port];
  s.event_pending = false;
  const bool frees_entry = std::exchange(s.frees_entry, false);
  if (frees_entry) forwarding_.finish(port, s.to_link != nullptr ? s.to_link : s.to_inject, now);
  if (Packet* const packet = std::exchange(s.to_link, nullptr))
    send_reserved(port, packet, packet->vc, flits_of<NvLink>(*packet), now, now);
  if (Packet* const packet = std::exchange(s.to_inject, nullptr)) inject(port, packet, now);
  if (frees_entry) retry_stalled(port, now);
  serve_stage(port, now);
  if (!s.event_pending) events_.set(stage_event + port, never);
}

// This packet alone may hold the missing room; no link event is then due before it leaves.
template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::send_reserved(unsigned port, Packet* packet, unsigned vc, unsigned flits,
                                                            Tick now, Tick tail) {
  links_[port].push_reserved(packet, vc, flits, now, tail);
  links_.sending(port);
  full_ &= ~Outputs::of(port);  // the queue has received a packet
  if (crossbar_.blocked()[port]) await_room(port, now);
}

template <unsigned max_ports, bool own_arbiter>
bool BasicSwitchCore<max_ports, own_arbiter>::reserve_replication(unsigned port) {
  if (replicated_flits_[port] + NvLink::max_packet_flits > config_.replication_flits) return false;
  replicated_flits_[port] += NvLink::max_packet_flits;
  stages_[port]->reserved = true;
  return true;
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::unreserve_replication(unsigned port) {
  EgressStage& s = *stages_[port];
  if (!s.reserved) return;
  s.reserved = false;
  replicated_flits_[port] -= NvLink::max_packet_flits;
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::inject(unsigned port, Packet* packet, Tick now) {
  const unsigned requester = replication * stride + port;
  unreserve_replication(port);
  replicated_flits_[port] += flits_of<NvLink>(*packet);
  flits_probes_[requester](now, flits_of<NvLink>(*packet));
  const Decision decision = route_injected(port, *packet);
  const Tick ready = own_arbiter ? now + config_.arbitration : now;
  enqueue(requester, packet, decision, ready, ready);
  look_at_head(requester);
  route_waiting(requester, now);
  if constexpr (own_arbiter) arm_input(port);
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::replication_freed(unsigned port, unsigned flits, Tick now) {
  assert(replicated_flits_[port] >= flits);
  replicated_flits_[port] -= flits;
  if (stages_[port]->stalled) serve_stage(port, now);
  arm_timer(port, now);
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::time_out(unsigned port, Tick now) {
  stages_[port]->timer_armed = false;
  while (forwarding_.next_timeout(port) <= now) {
    if (replicated_flits_[port] + NvLink::max_packet_flits > config_.replication_flits)
      return;  // replication_freed() arms the timer again
    const Expired expired = forwarding_.expire(port, now);
    if (expired.packet != nullptr && (expired.latency != 0 || stages_[port]->has_late)) {
      replicated_flits_[port] += NvLink::max_packet_flits;
      leave_later(port, {now + expired.latency, expired.packet, 0, 0, 0, Exit::stage, false});
    } else if (expired.packet != nullptr) {
      inject_beside(port, expired.packet, now);
    }
    retry_stalled(port, now);
  }
  arm_timer(port, now);
}

/// Injects a packet while an operand in service may own reserved room.
template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::inject_beside(unsigned port, Packet* packet, Tick now) {
  const bool reserved = std::exchange(stages_[port]->reserved, false);
  inject(port, packet, now);
  stages_[port]->reserved = reserved;
}

// ---- packets that leave an egress stage later than their operands, in their order

/// Moves what leaves because of the operand in service to the packets that leave later, with its reserved room. Returns
/// false if nothing does.
template <unsigned max_ports, bool own_arbiter>
bool BasicSwitchCore<max_ports, own_arbiter>::hold(unsigned port, StageOutcome& outcome, Tick now, std::uint8_t flits,
                                                   std::uint8_t vc) {
  Packet* const to_link = outcome.bypass != nullptr ? outcome.bypass : outcome.link;
  Packet* const packet = to_link != nullptr ? to_link : outcome.inject;
  if (packet == nullptr || outcome.unordered) return false;
  const Tick end = stages_[port]->line.free_at();
  const Tick leaves = outcome.bypass != nullptr || outcome.inject_at_once ? now : end;
  const bool follows = outcome.latency == never;
  leave_later(port, {follows ? never : leaves + outcome.latency, packet, outcome.bypass != nullptr ? end - now : 0, flits,
                     vc, to_link != nullptr ? Exit::stage_and_link : Exit::stage, outcome.frees_entry,
                     follows ? stages_[port]->answers->ticket() : 0, leaves - now});
  stages_[port]->reserved = false;  // now owned by that packet
  outcome.bypass = outcome.link = outcome.inject = nullptr;
  outcome.inject_at_once = outcome.frees_entry = false;
  return true;
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::leave_later(unsigned port, EgressStage::Late packet) {
  EgressStage& s = *stages_[port];
  if (packet.due == never)
    ++s.unknown;
  else if (s.unknown == 0)
    s.settle(packet);
  s.late.push(packet);
  s.has_late = true;
  events_.set(late_event + port, s.next_late());
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::late_due(unsigned port, Tick now) {
  EgressStage& s = *stages_[port];
  while (s.answers != nullptr && s.answers->next() <= now) s.answers->advance();
  while (s.has_late && s.late.front().due <= now) {
    const EgressStage::Late packet = s.late.front();
    s.late.pop();
    s.has_late = !s.late.empty();
    leave(port, packet, now);
  }
  events_.set(late_event + port, s.next_late());
  if (s.stalled) serve_stage(port, now);  // a short packet frees a part of its room
  arm_timer(port, now);
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::leave(unsigned port, const EgressStage::Late& late, Tick now) {
  if (late.frees_entry) forwarding_.finish(port, late.packet, now);
  if (late.exit == Exit::stage) {
    replicated_flits_[port] -= NvLink::max_packet_flits;
    inject_beside(port, late.packet, now);
  } else {
    send_reserved(port, late.packet, late.vc, late.flits, now, now + late.tail_after);
  }
  if (late.frees_entry) retry_stalled(port, now);
}

template <unsigned max_ports, bool own_arbiter>
std::string BasicSwitchCore<max_ports, own_arbiter>::late_text(const EgressStage& s) const {
  const EgressStage::Late& first = s.late.front();
  const std::string leaves =
      first.due == never ? "waits for its answer" : "leaves at " + readable_time(first.due) + " of the simulation";
  return "a packet of block " + std::to_string(nv(*first.packet).address / block_bytes) + " " + leaves +
         (s.late.size() == 1 ? "" : ", the first of " + std::to_string(s.late.size()));
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::arm_timer(unsigned port, Tick now) {
  EgressStage& s = *stages_[port];
  if (s.timer_armed) return;
  const Tick next = forwarding_.next_timeout(port);
  if (next == never) return;
  if (next <= now && replicated_flits_[port] + NvLink::max_packet_flits > config_.replication_flits) return;
  s.timer_armed = true;
  events_.set(timer_event + port, std::max(next, now));
}

// ---- reports of waiting packets, probes and reset

inline std::string switch_queue_name(unsigned cls) {
  return cls < NvLink::vcs ? "input.vc" + std::to_string(cls) : "replication";
}

template <unsigned max_ports, bool own_arbiter>
std::vector<std::string> BasicSwitchCore<max_ports, own_arbiter>::waiting() const {
  std::vector<std::string> lines;
  for (unsigned p = 0; p < config_.ports; ++p) {
    const std::string port = "port" + std::to_string(p) + ".";
    for (unsigned c = 0; c < classes; ++c) {
      const unsigned requester = c * stride + p, packets = packets_of(requester);
      if (packets == 0) continue;
      std::string line = port + switch_queue_name(c) + ": " + std::to_string(packets) + " packets";
      if (stalled_[requester]) line += ", the first waits for a free entry of " + port + "table";
      Tick first = never;  // creation time of the oldest request
      const auto look = [&](const Queued& q) { first = q.packet == nullptr ? first : std::min(first, q.packet->born); };
      packets_.for_each(waiting_[requester], look);
      for (const List& list : routed_to_[requester]) packets_.for_each(list, look);
      std::string outputs;
      crossbar_.wants(requester).for_each(
          [&](unsigned output) { outputs += (outputs.empty() ? "" : ",") + std::to_string(output); });
      if (!outputs.empty()) line += ", wait for output " + outputs;
      lines.push_back(line + waiting_since(first == never ? 0 : first));
    }
    const EgressStage& s = *stages_[p];
    if (!s.idle())
      lines.push_back(port + "table: " + std::to_string(s.consumed.size() + s.passing.size()) + " operands wait" +
                      (s.stalled ? ", the replication buffer is full" : ""));
    if (s.has_late) lines.push_back(port + "table: " + late_text(s));
    const std::string link = links_[p].waiting();
    if (!link.empty()) lines.push_back(port + "output: " + link);
  }
  return lines;
}

// Copies of a multicast count as one packet.
template <unsigned max_ports, bool own_arbiter>
unsigned BasicSwitchCore<max_ports, own_arbiter>::packets_of(unsigned requester) const {
  const unsigned cls = requester / stride;
  unsigned packets = 0;
  const auto count = [&](const Queued& p) { packets += cls == replication || p.vc == cls; };
  packets_.for_each(waiting_[requester], count);
  if (cls == response_vc) packets_.for_each(waiting_[requester % stride], count);  // packets of a port that uses one list
  std::vector<std::uint64_t> groups;
  for (const List& list : routed_to_[requester])
    packets_.for_each(list, [&](const Queued& p) {
      if (p.shared && std::find(groups.begin(), groups.end(), p.outputs) != groups.end()) return;
      if (p.shared) groups.push_back(static_cast<std::uint64_t>(p.outputs));
      ++packets;
    });
  return packets;
}

// Copies for several outputs share one reference until they cross.
template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::release_packets(unsigned requester) {
  for (List& list = waiting_[requester]; !list.empty();) {
    const Place place = packets_.take(list);
    if (packets_[place].packet != nullptr) packets_[place].packet->release();
    packets_.release(place);
  }
  for (unsigned o = 0; o < stride; ++o)
    for (List& list = routed_to_[requester][o]; !list.empty();) {
      const Place place = packets_.take(list);
      const Queued& packet = packets_[place];
      const bool last = !packet.shared || packets_.reached(static_cast<std::uint16_t>(packet.outputs), o);
      if (last && packet.packet != nullptr) packet.packet->release();
      packets_.release(place);
    }
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::reset() {
  for (unsigned r = 0; r < waiting_.size(); ++r) release_packets(r);
  crossed_flits_ = 0;
  crossbar_.reset();
  head_ready_.fill(never);
  replicated_flits_.fill(0);
  for (unsigned p = 0; p < config_.ports; ++p) {
    stages_[p]->reset();
    auto& used = crossbar_.output(p).used;
    for (unsigned vc = 0; vc < NvLink::vcs; ++vc) used[vc] = &links_[p].queued_flits(vc);
    used[before_stage] = &stages_[p]->consumed_flits;
    used[no_resource] = &nothing_;
  }
  for (unsigned vc = 0; vc < NvLink::vcs; ++vc) room_[vc] = links_[0].queue_capacity();
  room_[before_stage] = config_.stage_queue_flits;
  room_[no_resource] = ~0u;
  packets_.clear();
  input_events_.clear();
  events_.clear();
  handled_ = horizon_ = 0;
  links_.reset();
  stalled_ = {};
  full_ = {};
}

template <unsigned max_ports, bool own_arbiter>
void BasicSwitchCore<max_ports, own_arbiter>::describe(ProbeDirectory& directory, const std::string& name) {
  for (unsigned p = 0; p < config_.ports; ++p) {
    const std::string port = name + ".port" + std::to_string(p) + ".";
    for (unsigned c = 0; c < classes; ++c) {
      directory.add_signal(port + switch_queue_name(c) + ".flits", flits_probes_[c * stride + p], SignalKind::delta,
                           counter_bits, "flits held");
      if (c < NvLink::vcs)
        directory.add_signal(port + switch_queue_name(c) + ".stalled", stall_probes_[c * stride + p], SignalKind::level, 1,
                             "its first packet waits for a table entry");
    }
    directory.add_signal(port + "table.queue", stages_[p]->queue_probe, SignalKind::level, counter_bits,
                         "flits of operands that wait for the table");
    directory.add_signal(port + "table.stalled", stages_[p]->stall_probe, SignalKind::level, 1,
                         "the replication buffer is full");
    links_[p].describe(directory, port);
  }
}

}  // namespace tributary
