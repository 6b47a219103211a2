#pragma once
/// BasicRouterCore: definitions that are not inline, for the sources that instantiate it.

#include <algorithm>
#include <stdexcept>

#include "modules/base/waiting_since.h"
#include "modules/switching/core/basic_router_core.h"
#include "modules/switching/core/crossbar_impl.h"

namespace tributary {

template <unsigned max_inputs>
BasicRouterCore<max_inputs>::BasicRouterCore(const RouterConfig& config, RouterListener& listener, LinkOutput& wires,
                                             const std::vector<RouterTransmitter*>& transmitters)
    : config_(config),
      listener_(listener),
      links_(transmitters, wires),
      inputs_count_(config.ports + config.interfaces),
      divided_(config.output_queues) {
  if (inputs_count_ == 0 || inputs_count_ > max_inputs)
    throw std::invalid_argument("a router has 1 to " + std::to_string(max_inputs) + " links and interfaces, not " +
                                std::to_string(inputs_count_));
  if (config.ports != transmitters.size())
    throw std::invalid_argument("a router of " + std::to_string(config.ports) + " links has " +
                                std::to_string(transmitters.size()) + " transmitters");
  if (!config.port_names.empty() && config.ports != config.port_names.size())
    throw std::invalid_argument("a router of " + std::to_string(config.ports) + " links has names for " +
                                std::to_string(config.port_names.size()));
  if (!config.rates.empty() && config.rates.size() != inputs_count_)
    throw std::invalid_argument("a router of " + std::to_string(inputs_count_) + " links and interfaces has rates for " +
                                std::to_string(config.rates.size()));
  if (divided_) by_output_.resize(std::size_t{router_vcs} * stride * 2 * stride);
  for (unsigned i = 0; i < inputs_count_; ++i)
    crossbar_.add_input(config.rates.empty() ? config.rate : config.rates[i], ScheduleNicLink::flit_bytes);
  reset();
}

template <unsigned max_inputs>
typename BasicRouterCore<max_inputs>::Queued BasicRouterCore<max_inputs>::routed(unsigned requester, Packet* packet,
                                                                                 Tick ready, Tick tail) {
  const unsigned input = requester % stride;
  RouterHeader& h = router_header(*packet);
  RouterHop hop;
  if (h.route.to_neighbour()) {
    hop.port = config_.routes.ports.at(h.route.neighbour().next);
    if (hop.port != RouterHop::eject) h.route.swap();
  } else {
    hop = config_.routes.to[h.destination];
  }
  if (hop.port != RouterHop::eject && !h.route.empty() && !h.route.to_neighbour()) {
    if (h.route.is_in_row()) {
      hop = {config_.routes.rows->next(h.route), RouterHop::any};
      h.route.advance();
    } else {
      const bool on_and_on = !config_.routes.pinned.empty() && h.route.hops() > 2;  // another switch follows the next one
      hop = {static_cast<std::uint8_t>(h.route.next()), on_and_on ? std::uint8_t{0} : RouterHop::any};
      h.route = h.route.rest();
    }
  }
  const bool ejects = hop.port == RouterHop::eject;
  // an ejected packet keeps its VC, so that no message of another FIFO owns it
  const unsigned vc = ejects ? requester / stride : 2u * h.short_class + config_.routes.vc(hop, input, h.lane);
  const unsigned output = ejects ? stride + input : hop.port;
  return {ready,
          packet,
          static_cast<std::uint32_t>(tail - ready),
          flits_of<ScheduleNicLink>(*packet),
          static_cast<std::uint8_t>(output),
          static_cast<std::uint8_t>(vc & 0x7Fu),
          h.ends};
}

template <unsigned max_inputs>
[[gnu::always_inline]] inline void BasicRouterCore<max_inputs>::enqueue(unsigned input, unsigned vc, Packet* packet,
                                                                        Tick ready, Tick tail) {
  const unsigned requester = vc * stride + input;
  RingQueue<Queued>& queue = queues_[requester];
  const bool first = queue.empty();
  queue.push(routed(requester, packet, ready, tail));
  if (first) silent_ |= Requesters::of(requester);
  flits_probes_[requester](ready, flits_of<ScheduleNicLink>(*packet));
  if (first && !crossbar_.input(input).busy()) events_.advance(input_event + input, ready);
}

template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::inject(unsigned interface, Packet* packet, Tick ready) {
  const RouterHeader& h = router_header(*packet);
  const Tick at = ready + config_.latency;
  enqueue(config_.ports + interface, 2u * h.short_class + h.lane, packet, at, at);
}

template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::hold(unsigned interface, Packet* packet) {
  const RouterHeader& h = router_header(*packet);
  const unsigned requester = (2u * h.short_class + h.lane) * stride + config_.ports + interface;
  if (queues_[requester].empty()) silent_ |= Requesters::of(requester);
  queues_[requester].push(routed(requester, packet, never, never));
}

template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::make_ready(unsigned interface, const Packet* packet, Tick ready) {
  const RouterHeader& h = router_header(*packet);
  const unsigned input = config_.ports + interface, requester = (2u * h.short_class + h.lane) * stride + input;
  RingQueue<Queued>& queue = queues_[requester];
  std::uint32_t i = 0;
  while (queue[i].packet != packet) ++i;
  queue[i].ready = ready + config_.latency;
  flits_probes_[requester](queue[i].ready, queue[i].flits);
  if (i == 0 && !crossbar_.input(input).busy()) events_.advance(input_event + input, queue[i].ready);
}

template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
  arm_link(port, links_.credit(port, first, credits, count, crossbar_.blocked()[port]));
}

template <unsigned max_inputs>
Tick BasicRouterCore<max_inputs>::safe_horizon(Tick now, Tick packets, const Tick* credits) {
  links_.decide(now, credits);
  Tick horizon = packets;
  for (unsigned p = 0; p < config_.ports; ++p) horizon = std::min(horizon, links_.decided_until(p));
  return std::max(horizon, handled_);
}

template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::handle(Tick now) {
  while (events_.next() == now) {
    const unsigned slot = events_.next_slot();
    if (slot < link_event) {
      input_due(slot, now);
    } else {
      events_.set(slot, never);
      crossbar_.room_freed(slot - link_event);
    }
  }
  if (crossbar_.changed()) match(now);
}

template <unsigned max_inputs>
Tick BasicRouterCore<max_inputs>::finish(Tick horizon) {
  handled_ = horizon;
  const Tick next_sent = links_.finish(horizon, [](const RouterTransmitter::Sent&) {});
  return std::min(next(), next_sent);
}

// ---- inputs

/// The first packet of a silent queue requests its output once it is ready.
template <unsigned max_inputs>
inline void BasicRouterCore<max_inputs>::look_at(unsigned requester, Tick now) {
  RingQueue<Queued>& queue = queues_[requester];
  if (queue.front().ready > now) return;
  silent_ &= ~Requesters::of(requester);
  crossbar_.want(requester, queue.front().output);
  if (!divided_) return;
  for (; !queue.empty() && queue.front().ready <= now; queue.pop()) {
    crossbar_.want(requester, queue.front().output);
    by_output_[requester * 2 * stride + queue.front().output].push(queue.front());
  }
  silent_ |= Requesters::of(requester).only_if(!queue.empty());
}

template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::input_due(unsigned i, Tick now) {
  if (crossbar_.input(i).busy()) crossbar_.end_crossing(i);
  silent_of(i).for_each([&](unsigned requester) { look_at(requester, now); });
  crossbar_.ask_again(i);
  arm_input(i);
}

template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::arm_input(unsigned i) {
  Tick when = crossbar_.input(i).transfer_end;
  if (!crossbar_.input(i).busy())
    silent_of(i).for_each([&](unsigned requester) { when = std::min(when, queues_[requester].front().ready); });
  events_.set(input_event + i, when);
}

// ---- crossbar

template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::match(Tick now) {
  crossbar_.match(*this, now);
}

template <unsigned max_inputs>
Room BasicRouterCore<max_inputs>::find_room(unsigned requester, unsigned output, Tick now) {
  const Queued& packet = first(requester, output);
  run_link(output, now - 1);
  return links_[output].has_room(packet.vc, packet.flits) ? Room::there : Room::none;
}

template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::stall_ejection(bool stalled, Tick now) {
  ejection_stalled_ = stalled;
  if (stalled) return;
  for (unsigned i = 0; i < inputs_count_; ++i) crossbar_.room_freed(stride + i);
  if (crossbar_.changed()) match(now);
}

template <unsigned max_inputs>
inline typename BasicRouterCore<max_inputs>::Crossing BasicRouterCore<max_inputs>::take(unsigned requester,
                                                                                        unsigned output) {
  RingQueue<Queued>& queue = divided_ ? by_output_[requester * 2 * stride + output] : queues_[requester];
  const Queued& packet = queue.front();
  Crossing crossing{packet.packet, packet.ready + packet.tail_after, packet.flits, packet.vc};
  crossbar_.output(output).owner[packet.vc] = packet.ends ? Shape::none : static_cast<std::uint16_t>(requester);
  queue.pop();
  crossing.more = divided_ && !queue.empty();
  silent_ |= Requesters::of(requester).only_if(!divided_ && !queue.empty());
  return crossing;
}

template <unsigned max_inputs>
inline void BasicRouterCore<max_inputs>::cross(unsigned requester, unsigned output, const Crossing& crossing, Tick now,
                                               Tick end) {
  const unsigned i = requester % stride;
  crossed_flits_ += crossing.flits;
  events_.set(input_event + i, end);
  flits_probes_[requester](end, minus(crossing.flits));
  if (i < config_.ports) give_credit(i, requester / stride, crossing.flits, now, end);
  if (output >= stride) {
    listener_.eject(i, crossing.packet, end);
  } else {
    crossing.packet->vc = static_cast<std::uint8_t>(crossing.resource);
    links_[output].push(crossing.packet, crossing.resource, crossing.flits, now, end);
    links_.sending(output);
  }
  if (i >= config_.ports) listener_.injected(i - config_.ports, now);
}

/// Sends credits flit by flit: the packet leaves without a gap up to `end`, and the neighbour refills its space no faster.
template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::give_credit(unsigned input, unsigned vc, unsigned flits, Tick now, Tick end) {
  const Tick flit = crossbar_.input(input).line.flit_time();
  const Tick when = config_.flit_credits ? std::max(now + flit, end - (flits - 1) * flit) : end;
  links_.free(input, when, vc, flits);
}

// ---- outputs

// A packet sent at an instant competes with all packets pushed at that instant, so its room is free just after it.
template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::arm_link(unsigned port, Tick sent) {
  if (sent != never) events_.advance(link_event + port, std::max(sent, handled_) + 1);
}

// ---- reports

/// Returns the name of an input, and of the output of the same link.
template <unsigned max_inputs>
std::string BasicRouterCore<max_inputs>::name_of(unsigned i) const {
  if (i >= config_.ports) return "interface" + std::to_string(i - config_.ports);
  return config_.port_names.empty() ? "port" + std::to_string(i) : config_.port_names[i];
}

template <unsigned max_inputs>
std::vector<std::string> BasicRouterCore<max_inputs>::waiting() const {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < inputs_count_; ++i) {
    const std::string name = name_of(i);
    for (unsigned vc = 0; vc < router_vcs; ++vc) {
      const auto add = [&](const RingQueue<Queued>& queue) {
        if (queue.empty()) return;
        const unsigned output = queue.front().output;
        lines.push_back(name + ".vc" + std::to_string(vc) + ": " + std::to_string(queue.size()) +
                        " packets, the first for " + (output < stride ? name_of(output) : "this node") +
                        waiting_since(queue.front().packet->born));
      };
      add(queues_[vc * stride + i]);
      for (std::size_t o = 0; o < 2 * stride && divided_; ++o) add(by_output_[(vc * stride + i) * 2 * stride + o]);
    }
    if (i >= config_.ports) continue;
    if (const std::string link = links_[i].waiting(); !link.empty()) lines.push_back(name + ".link: " + link);
  }
  return lines;
}

template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::reset() {
  for (RingQueue<Queued>& queue : queues_)
    for (; !queue.empty(); queue.pop()) queue.front().packet->release();
  for (RingQueue<Queued>& queue : by_output_)
    for (; !queue.empty(); queue.pop()) queue.front().packet->release();
  crossbar_.reset();
  crossed_flits_ = 0;
  silent_ = {};
  ejection_stalled_ = false;
  handled_ = 0;
  events_.clear();
  links_.reset();
}

template <unsigned max_inputs>
void BasicRouterCore<max_inputs>::describe(ProbeDirectory& directory, const std::string& name) {
  for (unsigned i = 0; i < inputs_count_; ++i) {
    const std::string port = name + "." + name_of(i) + ".";
    for (unsigned vc = 0; vc < router_vcs; ++vc)
      directory.add_signal(port + "input.vc" + std::to_string(vc) + ".flits", flits_probes_[vc * stride + i],
                           SignalKind::delta, counter_bits, "flits held");
    if (i < config_.ports) links_[i].describe(directory, port);
  }
}

}  // namespace tributary
