#include "modules/switching/core/switch_core.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace tributary {
namespace {
std::uint64_t minus(unsigned flits) { return ~std::uint64_t{flits} + 1; }
}  // namespace

SwitchCore::SwitchCore(const SwitchConfig& config, Forwarding& forwarding, SwitchWires& wires,
                       std::vector<LinkTransmitter*> transmitters)
    : config_(config),
      forwarding_(forwarding),
      wires_(wires),
      transmitters_(std::move(transmitters)),
      queues_(classes * stride),
      outputs_(config.ports),
      crossbar_(config.ports, Serializer(config.crossbar_rate)),
      crossing_(config.ports),
      freed_(config.ports),
      routed_(classes * stride, stride) {
  if (config.ports == 0 || config.ports > stride) throw std::invalid_argument("a switch has 1 to 16 ports");
  if (transmitters_.size() != config.ports) throw std::invalid_argument("a switch needs a transmitter for each port");
  if (config.unit_queue_flits < max_packet_flits || config.replication_flits < max_packet_flits)
    throw std::invalid_argument("a buffer of a switch is smaller than one packet (144 B)");
  for (unsigned p = 0; p < config.ports; ++p) stations_.push_back(std::make_unique<EgressStation>(config.port_rate));
  reset();
}

Tick SwitchCore::accept(unsigned port, Packet* packet, Tick head, Tick tail) {
  const unsigned requester = packet->vc * stride + port;
  InputQueue& q = queues_[requester];
  const Arrival arrival(head + config_.latency, tail + config_.latency, packet, forwarding_.route(port, *packet));
  q.flits_probe(head, packet->flits);
  const bool first = q.waiting.empty() && may_route(q);
  q.waiting.push(arrival);
  if (!first) return never;  // whoever takes the one before it looks at this one
  arm_head(requester, arrival.ready);
  return arrival.ready;
}

Tick SwitchCore::credit(unsigned port, unsigned vc, unsigned flits, Tick when) {
  LinkTransmitter& tx = *transmitters_[port];
  tx.credit(vc, flits, when);
  const Tick next = tx.next_with_credit(vc, when);
  if ((blocked_ >> port & 1u) != 0) arm_link(port, next);
  return next;
}

Tick SwitchCore::run_until(Tick horizon) {
  while (events_.next() <= horizon) {
    const Tick now = events_.next();
    do {
      const unsigned event_key = events_.next_key();
      events_.pop();
      handle(event_key, now);
    } while (events_.next() == now);
    if (changed_ != 0) match(now);
  }
  const Tick next_sent = run_links(horizon);
  return_credits();
  return std::min(events_.next(), next_sent);
}

void SwitchCore::handle(unsigned event_key, Tick now) {
  const unsigned index = event_key & 0xFF;
  switch (static_cast<Event>(event_key >> 8)) {
    case head_ready:
      queues_[index].armed = never;
      return route_waiting(index, now);
    case crossbar_done:
      return crossbar_free(index, now);
    case link_event:
      if (outputs_[index].link_armed == now) outputs_[index].link_armed = never;
      return room_freed(index);
    case unit_event:
      return end_service(index, now);
    case timer_event:
      return time_out(index, now);
  }
}

// ---- inputs

void SwitchCore::arm_head(unsigned requester, Tick ready) {
  InputQueue& q = queues_[requester];
  if (q.armed != never) return;  // for the same packet: a queue is in order of time
  q.armed = ready;
  events_.schedule(ready, key(head_ready, requester));
}

void SwitchCore::route_waiting(unsigned requester, Tick now) {
  InputQueue& q = queues_[requester];
  while (!q.waiting.empty() && may_route(q) && !q.stalled) {
    const Arrival arrival = q.waiting.front();
    if (arrival.ready > now) return arm_head(requester, arrival.ready);
    if (arrival.claims && !forwarding_.claim(requester % stride, *arrival.packet, now)) {
      q.stalled = true;
      q.stall_probe(now, 1);
      return;
    }
    q.waiting.pop();
    request(requester, arrival);
  }
}

void SwitchCore::request(unsigned requester, const Arrival& arrival) {
  const std::uint32_t outputs = arrival.outputs;
  assert(outputs != 0);
  __builtin_prefetch(arrival.packet);  // its last look was a switch latency ago
  const unsigned cls = requester / stride;
  routed_.add(requester, arrival, cls < vc_count ? cls : arrival.packet->vc);
  InputQueue& q = queues_[requester];
  ++q.routed;
  q.wants |= outputs;
  changed_ |= outputs;
  for (std::uint32_t left = outputs; left != 0; left &= left - 1)
    want(requester, static_cast<unsigned>(__builtin_ctz(left)));
}

void SwitchCore::retry_stalled(unsigned port, Tick now) {
  for (unsigned vc = 0; vc < vc_count; ++vc) {
    InputQueue& q = queue(vc, port);
    if (!q.stalled) continue;
    q.stalled = false;
    route_waiting(vc * stride + port, now);
    if (!q.stalled) q.stall_probe(now, 0);
  }
}

// ---- crossbar

void SwitchCore::match(Tick now) {
  while ((changed_ & idle_outputs_) != 0) {
    std::uint32_t left = changed_ & idle_outputs_;
    changed_ = 0;
    while (left != 0) {
      const unsigned output = first_from(left, first_output_);
      left &= ~(1u << output);
      grant(output, now);
    }
  }
  changed_ = 0;  // an output that is busy now is looked at again when it is free
}

// Each kind of room has a pointer of its own: with one for all, whoever stands just behind the last winner of the other kind
// would always come first. A packet that does not fit holds its turn, lest small ones starve it.
void SwitchCore::grant(unsigned output, Tick now) {
  Output& out = outputs_[output];
  const auto& wanted = out.wanted_by;
  if (((wanted[0] | wanted[1] | wanted[2] | wanted[3]) & idle_requesters_) == 0) return;  // the usual case
  for (unsigned k = 0; k < resource_count; ++k) {
    const unsigned resource = (out.turn + k) % resource_count;
    const std::uint64_t requests = out.wanted_by[resource] & idle_requesters_;
    if (requests == 0) continue;
    const unsigned requester = out.grants[resource].pick(requests);
    if (has_room(output, routed_.front(requester, output), now)) {
      out.grants[resource].granted(requester);
      out.turn = resource + 1;
      first_output_ = output + 1;  // moves with grants alone: being asked in vain must leave no trace
      return transfer(requester, output, now);
    }
    blocked_ |= 1u << output;
    arm_link(output, run_link(output, now - 1));
  }
}

bool SwitchCore::has_room(unsigned output, const Routed& routed, Tick now) {
  if (routed.exit == Exit::drop) return true;
  if (routed.exit == Exit::unit) return stations_[output]->consumed_flits + routed.flits <= config_.unit_queue_flits;
  if (transmitters_[output]->has_room(routed.vc, routed.flits)) return true;
  run_link(output, now - 1);
  return transmitters_[output]->has_room(routed.vc, routed.flits);
}

void SwitchCore::transfer(unsigned requester, unsigned output, Tick now) {
  const unsigned input = requester % stride;
  const auto [routed, last, more] = routed_.advance(requester, output);
  outputs_[output].wanted_by[routed.resource()] &= ~(std::uint64_t{1} << requester);
  const Tick end = crossbar_[input].serve(now, routed.flits, routed.tail);
  InputQueue& q = queues_[requester];
  if (more)
    want(requester, output);
  else
    q.wants &= ~(1u << output);
  idle_outputs_ &= ~(1u << output);
  idle_requesters_ &= ~(requesters_of_input << input);
  const bool injected = requester >= replication * stride;
  crossing_[input] = {output, last && injected ? routed.flits : 0u};
  events_.schedule(end, key(crossbar_done, input));
  if (last) {
    --q.routed;
    if (!injected) {
      q.flits_probe(end, minus(routed.flits));
      freed_[input].push({end, routed.vc, routed.flits});
      crossed_ |= 1u << input;
    }
    if (!config_.virtual_output_queues) route_waiting(requester, now);
  } else {
    routed.packet->acquire();
  }
  leave_crossbar(output, routed, now, end);
}

void SwitchCore::crossbar_free(unsigned input, Tick now) {
  const Crossing crossing = crossing_[input];
  idle_outputs_ |= 1u << crossing.output;
  changed_ |= 1u << crossing.output;
  idle_requesters_ |= requesters_of_input << input;
  for (unsigned c = 0; c < classes; ++c) changed_ |= queue(c, input).wants;
  if (crossing.replicated_flits == 0) return;
  queue(replication, input).flits_probe(now, minus(crossing.replicated_flits));
  replication_freed(input, crossing.replicated_flits, now);
}

// ---- outputs

void SwitchCore::leave_crossbar(unsigned output, const Routed& routed, Tick now, Tick end) {
  EgressStation& station = *stations_[output];
  switch (routed.exit) {
    case Exit::link:
      transmitters_[output]->push(routed.packet, routed.vc, routed.flits, now, end);
      sending_ |= 1u << output;
      return;
    case Exit::unit:
      station.consumed.push({routed.packet, end, routed.flits, routed.vc});
      station.consumed_flits += routed.flits;
      station.queue_probe(now, station.consumed_flits);
      return serve_unit(output, now);
    case Exit::unit_and_link:
      transmitters_[output]->reserve(routed.vc, routed.flits, now);
      station.passing.push({routed.packet, end, routed.flits, routed.vc});
      return serve_unit(output, now);
    case Exit::drop:
      routed.packet->release();
      return;
  }
}

Tick SwitchCore::run_link(unsigned port, Tick horizon) {
  LinkTransmitter& tx = *transmitters_[port];
  const Tick next = tx.run_until(horizon, [&](const LinkTransmitter::Sent& sent) { wires_.deliver(port, sent); });
  if (tx.empty()) sending_ &= ~(1u << port);
  return next;
}

Tick SwitchCore::run_links(Tick horizon) {
  Tick next = never;
  for (std::uint32_t left = sending_; left != 0; left &= left - 1)
    next = std::min(next, run_link(static_cast<unsigned>(__builtin_ctz(left)), horizon));
  return next;
}

void SwitchCore::return_credits() {
  for (; crossed_ != 0; crossed_ &= crossed_ - 1) {
    const auto input = static_cast<unsigned>(__builtin_ctz(crossed_));
    RingQueue<FreedBuffer>& freed = freed_[input];
    for (; !freed.empty(); freed.pop())
      wires_.return_credit(input, freed.front().vc, freed.front().flits, freed.front().when);
  }
}

// What is sent at an instant takes its turn among all that is pushed at that instant, so its room is free just after.
Tick SwitchCore::arm_link(unsigned port, Tick sent) {
  Output& out = outputs_[port];
  if (sent == never || sent + 1 >= out.link_armed) return never;
  out.link_armed = sent + 1;
  events_.schedule(sent + 1, key(link_event, port));
  return sent + 1;
}

}  // namespace tributary
