#include "modules/nvswitch/core/switch_core.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace tributary {

SwitchCore::SwitchCore(const SwitchConfig& config, Forwarding& forwarding, LinkOutput& wires,
                       const std::vector<NvLinkTransmitter*>& transmitters)
    : config_(config), forwarding_(forwarding), links_(transmitters, wires), packets_(links_.arena()) {
  if (config.ports == 0 || config.ports > max_switch_ports)
    throw std::invalid_argument("a switch has 1 to " + std::to_string(max_switch_ports) + " ports");
  if (transmitters.size() != config.ports) throw std::invalid_argument("a switch needs a transmitter for each port");
  if (config.unit_queue_flits < NvLink::max_packet_flits || config.replication_flits < NvLink::max_packet_flits)
    throw std::invalid_argument("a buffer of a switch is smaller than one packet (144 B)");
  for (unsigned p = 0; p < config.ports; ++p) {
    inputs_.emplace_back(config.crossbar_rate, NvLink::flit_bytes);
    stations_[p] = std::make_unique<EgressStage>(config.port_rate, links_.arena().of<ChunkStock>());
  }
  reset();
}

void SwitchCore::accept(unsigned port, Packet* packet, Tick head, Tick tail) {
  const Tick ready = head + config_.latency;
  const Decision decision = forwarding_.route(port, *packet);
  if (decision.claims && !inputs_[port].eager) make_eager(port);
  const unsigned queue = queue_of(port, packet->vc);
  const bool first = waiting_[queue].empty();
  enqueue(queue, packet, decision, ready, tail + config_.latency);
  if (!first) return;  // taking the packet before it looks at this one
  look_at_head(queue);
  if (head_ready_[queue] == never || (inputs_[port].busy() && !inputs_[port].eager)) return;
  input_events_.advance(port, ready);
}

void SwitchCore::credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
  arm_link(port, links_.credit(port, first, credits, count, (blocked_ >> port & 1u) != 0));
}

Tick SwitchCore::run_until(Tick horizon) {
  assert(undecided_ == 0 || handled_ < horizon);
  horizon_ = horizon;
  if (undecided_ != 0) match(handled_ + 1);
  for (Tick now = soonest(); now <= horizon_;) {
    handle_next(now);
    Tick next = soonest();
    if (next != now && changed_ != 0) {
      match(now);
      next = soonest();
    }
    now = next;
  }
  handled_ = horizon_;
  const Tick next_sent = links_.finish(horizon_, [](const NvLinkTransmitter::Sent&) {});
  return std::min({next_event(), next_sent, undecided_ != 0 ? handled_ + 1 : never});
}

// Whether a queue has room is found out when a packet asks, and the window ends there if it is not known.
Tick SwitchCore::safe_horizon(Tick now, Tick packets, const Tick* credits) {
  for_each_wanted([](const PacketLists::List& list) { __builtin_prefetch(&list, 1); });
  links_.decide(now, credits);
  Tick horizon = packets;
  for (std::uint32_t left = blocked_; left != 0; left &= left - 1)
    horizon = std::min(horizon, last_known_room(static_cast<unsigned>(__builtin_ctz(left))));
  return std::max(horizon, handled_);
}

void SwitchCore::prefetch_heads() const {
  for (const PacketLists::List& list : waiting_) packets_.prefetch_first(list);
  for_each_wanted([this](const PacketLists::List& list) { packets_.prefetch_first(list); });
}

void SwitchCore::prefetch_packets() const {
  for_each_wanted([this](const PacketLists::List& list) { __builtin_prefetch(packets_[list.first].packet); });
}

void SwitchCore::handle_next(Tick now) {
  if (input_events_.soonest() == now) return input_due(input_events_.next_slot(), now);
  const unsigned slot = events_.next_slot();
  if (slot < link_event) return end_service(slot - unit_event, now);
  events_.set(slot, never);
  if (slot >= timer_event) return time_out(slot - timer_event, now);
  full_ &= ~(1u << (slot - link_event));  // from now on something may have left
  room_freed(slot - link_event);
}

// ---- inputs

// What has become ready behind a busy input has not been looked at: it is routed now, for its time is over.
void SwitchCore::make_eager(unsigned port) {
  inputs_[port].eager = true;  // a packet that waits already comes before all claims, and stays where it is
  if (!inputs_[port].busy()) return;
  for (unsigned vc = 0; vc < NvLink::vcs; ++vc) route_waiting(vc * stride + port, handled_);
  input_events_.advance(port, next_head_of(port));
}

void SwitchCore::route_waiting(unsigned queue, Tick now) {
  while (head_ready_[queue] <= now) {
    const PacketLists::Place place = waiting_[queue].first;
    const QueuedPacket& packet = packets_[place];
    const unsigned requester = queue < stride ? packet.vc * stride + queue : queue;
    if (packet.claims && !forwarding_.claim(requester % stride, *packet.packet, now)) {
      stalled_ |= std::uint64_t{1} << requester;
      head_ready_[queue] = never;
      stall_probes_[requester](now, 1);
      return;
    }
    packets_.take(waiting_[queue]);
    wants_[requester] |= packet.outputs;
    look_at_head(queue);
    request(requester, place);
  }
}

void SwitchCore::request(unsigned requester, PacketLists::Place place) {
  const QueuedPacket& packet = packets_[place];
  const std::uint32_t outputs = packet.outputs;
  assert(outputs != 0);
  __builtin_prefetch(packet.packet);  // its last look was some packets ago
  changed_ |=
      outputs & (0u - static_cast<std::uint32_t>(idle_requesters_ >> requester & 1u));  // else when the input is free
  if ((outputs & (outputs - 1)) != 0) return request_copies(requester, place);
  append(requester, static_cast<unsigned>(__builtin_ctz(outputs)), place);
}

void SwitchCore::request_copies(unsigned requester, PacketLists::Place place) {
  const QueuedPacket original = packets_[place];
  packets_.release(place);
  std::uint32_t outputs = original.outputs;
  for (const std::uint16_t group = packets_.new_group(outputs); outputs != 0; outputs &= outputs - 1)
    append(requester, static_cast<unsigned>(__builtin_ctz(outputs)), packets_.add(original, group));
}

void SwitchCore::append(unsigned requester, unsigned output, PacketLists::Place place) {
  outputs_[output].wanted_by |= std::uint64_t{1} << requester;
  packets_.append(routed_to_[requester][output], place);
}

void SwitchCore::retry_stalled(unsigned port, Tick now) {
  for (unsigned requester = port; requester < NvLink::vcs * stride; requester += stride) {
    if (!stalled(requester)) continue;
    stalled_ &= ~(std::uint64_t{1} << requester);
    look_at_head(requester);
    route_waiting(requester, now);
    if (!stalled(requester)) stall_probes_[requester](now, 0);
    arm_input(port);
  }
}

void SwitchCore::input_due(unsigned port, Tick now) {
  const bool ends = inputs_[port].transfer_end == now;
  for (unsigned vc = 0; vc < NvLink::vcs; ++vc)
    if (head_ready_[vc * stride + port] <= now) route_waiting(vc * stride + port, now);
  if (__builtin_expect(ends, 1)) crossbar_free(port, now);
  arm_input(port);
}

// ---- outputs

void SwitchCore::free_buffer(unsigned port, unsigned vc, unsigned flits, Tick when) {
  flits_probes_[vc * stride + port](when, minus(flits));
  links_.free(port, when, vc, flits);
}

// Where the link is planned to lag behind, no input waits for its queues, only for the egress unit.
void SwitchCore::await_room(unsigned port, Tick now) {
  if (links_.decided_until(port) >= now - 1) arm_link(port, run_link(port, now - 1));
}

// What is sent at an instant takes its turn among all that is pushed at that instant, so its room is free just after.
void SwitchCore::arm_link(unsigned port, Tick sent) {
  if (sent != never) events_.advance(link_event + port, std::max(sent, handled_) + 1);
}

}  // namespace tributary
