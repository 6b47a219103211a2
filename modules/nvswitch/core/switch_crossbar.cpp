/// The crossbar of a switch: which packet may cross to a free output, and what happens to one that does.

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "modules/nvswitch/core/switch_core.h"

namespace tributary {

// A round that comes to an output of which it is not yet known whether it has room ends the window, and goes on in the next.
void SwitchCore::match(Tick now) {
  std::uint32_t left = std::exchange(undecided_, 0);
  for (;;) {
    while (left != 0) {
      const unsigned output = first_of_16_from(left, first_output_);
      const unsigned winner = choose(output, now);
      const bool copies = winner < not_known && replicates(winner, output);
      if (__builtin_expect(winner == not_known || (copies && !find_copies(winner, output, now)), 0)) {
        undecided_ = left;
        horizon_ = now - 1;
        return;
      }
      left &= ~(1u << output);
      if (winner != nobody) transfer(winner, output, now);
      if (copies) transfer_copies(winner, now), left &= idle_outputs_;
      left &= ~changed_;  // another has its turn there: in the next round, whatever else has made it change
    }
    if ((changed_ & idle_outputs_) == 0) break;
    left = changed_ & idle_outputs_;
    changed_ = 0;
  }
  changed_ = 0;  // an output that is busy now is looked at again when it is free
}

unsigned SwitchCore::choose(unsigned output, Tick now) {
  const std::uint64_t left = outputs_[output].wanted_by & idle_requesters_;
  if (left == 0) return nobody;
  if (__builtin_expect((left & (left - 1)) != 0, 0)) return choose_in_turn(output, left, now);
  const auto requester = static_cast<unsigned>(__builtin_ctzll(left));  // the usual case
  const Room room = room_for(packets_[routed_to_[requester][output].first], output, now);
  return room == Room::there ? requester : room == Room::none ? nobody : not_known;
}

// Each kind of room has a pointer of its own: with one for all, the requester just behind the last winner of the other kind
// would always come first. A packet that does not fit holds its turn, so that small ones cannot starve it.
unsigned SwitchCore::choose_in_turn(unsigned output, std::uint64_t left, Tick now) {
  const Output& out = outputs_[output];
  std::array<std::uint64_t, resource_count> requesters{};  // by what their packets need
  unsigned asking = 0;                                     // a bit per resource
  for (; left != 0; left &= left - 1) {
    const auto requester = static_cast<unsigned>(__builtin_ctzll(left));
    const unsigned resource = packets_[routed_to_[requester][output].first].resource;
    requesters[resource] |= std::uint64_t{1} << requester;
    asking |= 1u << resource;
  }
  while (asking != 0) {
    const unsigned resource = first_from(asking, out.turn);
    const unsigned requester = out.grants[resource].pick(requesters[resource]);
    const Room room = room_for(packets_[routed_to_[requester][output].first], output, now);
    if (room != Room::none) return room == Room::there ? requester : not_known;
    asking &= ~(1u << resource);
  }
  return nobody;
}

SwitchCore::Room SwitchCore::room_for(const QueuedPacket& packet, unsigned output, Tick now) {
  if (*outputs_[output].used[packet.resource] + packet.flits <= room_[packet.resource]) return Room::there;
  return find_room(packet, output, now);
}

// The link may not have run up to now. Where it has left no room, the window goes no further than what is known of it, so
// that an input that waits learns of room in time. An input that asks again before the link can have sent is refused at
// once.
SwitchCore::Room SwitchCore::find_room(const QueuedPacket& packet, unsigned output, Tick now) {
  if ((blocked_ >> output & 1u) == 0) full_ &= ~(1u << output);  // an input was granted since: its queues have got more
  if (packet.resource < before_unit) {
    const bool known = links_.decided_until(output) >= now - 1;
    if (known && nothing_sent(output, now)) {
      assert(running_sends_nothing(output, now));
    } else {
      const Tick sent = run_link(output, now - 1);
      if (links_[output].has_room(packet.vc, packet.flits)) return Room::there;
      if (!known) return Room::not_known;
      arm_link(output, sent);
      if (sent != never) full_ |= 1u << output;
    }
    horizon_ = std::min(horizon_, last_known_room(output));
  } else {
    await_room(output, now);
  }
  blocked_ |= 1u << output;
  return Room::none;
}

// Since the last refusal there the queues have got nothing, and the next packet has still to leave.
bool SwitchCore::nothing_sent(unsigned output, Tick now) const {
  return (full_ >> output & 1u) != 0 && events_.at(link_event + output) > now;
}

// The same, found out.
bool SwitchCore::running_sends_nothing(unsigned output, Tick now) {
  const auto queued = [&] { return links_[output].queued_packets(0) + links_[output].queued_packets(1); };
  const unsigned before = queued();
  run_link(output, now - 1);
  return queued() == before;
}

inline bool SwitchCore::replicates(unsigned requester, unsigned output) const {
  return config_.crossbar_replicates && packets_[routed_to_[requester][output].first].shared;
}

// Outputs that would serve the same packet next, each by its own order of turns. False: of one it is not known whether it
// has room.
bool SwitchCore::find_copies(unsigned requester, unsigned output, Tick now) {
  const std::uint16_t group = packets_[routed_to_[requester][output].first].outputs;
  copies_to_ = 0;
  for (std::uint32_t left = wants_[requester] & idle_outputs_ & ~(1u << output); left != 0; left &= left - 1) {
    const auto other = static_cast<unsigned>(__builtin_ctz(left));
    const QueuedPacket& head = packets_[routed_to_[requester][other].first];
    if (!head.shared || head.outputs != group) continue;
    const unsigned winner = choose(other, now);
    if (winner == not_known) return false;
    if (winner == requester) copies_to_ |= 1u << other;
  }
  return true;
}

// In the crossing that has just begun. The input is free when it ends, and so are these outputs.
void SwitchCore::transfer_copies(unsigned requester, Tick now) {
  const unsigned port = requester % stride;
  CrossbarInput& input = inputs_[port];
  const Tick end = input.transfer_end;
  input.outputs_beside = static_cast<std::uint16_t>(copies_to_);
  idle_outputs_ &= ~copies_to_;
  for (std::uint32_t left = std::exchange(copies_to_, 0); left != 0; left &= left - 1) {
    const auto output = static_cast<unsigned>(__builtin_ctz(left));
    const PacketLists::Place place = packets_.take(routed_to_[requester][output]);
    const QueuedPacket& queued = packets_[place];
    const Crossing packet{queued.packet, queued.flits, queued.vc, queued.exit};
    const bool last = packets_.reached(queued.outputs, output);
    took_turn(requester, output, queued);
    packets_.release(place);
    if (last && requester < replication * stride) free_buffer(port, packet.vc, packet.flits, end);
    if (last && requester >= replication * stride) input.replicated_flits = packet.flits;
    if (!last) packet.packet->acquire();
    leave_crossbar(output, packet, now, end);
  }
  if (!config_.virtual_output_queues && wants_[requester] == 0) look_at_head(requester), route_waiting(requester, now);
  arm_input(port);
}

// The turns move with grants alone: a refused request must not change the state of arbitration.
inline void SwitchCore::took_turn(unsigned requester, unsigned output, const QueuedPacket& queued) {
  outputs_[output].grants[queued.resource].granted(requester);
  outputs_[output].turn = queued.resource + 1u;
  blocked_ &= ~(1u << output);
  first_output_ = (output + 1) % stride;
  if (!routed_to_[requester][output].empty()) return;
  wants_[requester] &= ~(1u << output);
  outputs_[output].wanted_by &= ~(std::uint64_t{1} << requester);
}

void SwitchCore::transfer(unsigned requester, unsigned output, Tick now) {
  const unsigned port = requester % stride;
  const PacketLists::Place place = packets_.take(routed_to_[requester][output]);
  const QueuedPacket& queued = packets_[place];  // gone when the next one is added
  const Crossing packet{queued.packet, queued.flits, queued.vc, queued.exit};
  const Tick tail = queued.ready + queued.tail_after;
  const bool last = !queued.shared || packets_.reached(queued.outputs, output);
  took_turn(requester, output, queued);
  packets_.release(place);
  const bool injected = requester >= replication * stride;

  CrossbarInput& input = inputs_[port];
  const Tick end = input.transfer_end = input.line.serve(now, packet.flits, tail);
  input.output = static_cast<std::uint8_t>(output);
  input.replicated_flits = last && injected ? packet.flits : std::uint8_t{0};
  idle_outputs_ &= ~(1u << output);
  idle_requesters_ &= ~(requesters_of_input << port);
  if (blocked_ != 0) changed_ |= blocked_ & wants_of(port);  // where it did not fit, another has its turn
  if (__builtin_expect(last, 1)) {
    if (__builtin_expect(!injected, 1)) free_buffer(port, packet.vc, packet.flits, end);
    if (!config_.virtual_output_queues) look_at_head(requester), route_waiting(requester, now);
  } else {
    packet.packet->acquire();
  }
  arm_input(port);
  leave_crossbar(output, packet, now, end);
}

void SwitchCore::crossbar_free(unsigned port, Tick now) {
  CrossbarInput& input = inputs_[port];
  input.transfer_end = never;
  idle_outputs_ |= 1u << input.output;
  idle_requesters_ |= requesters_of_input << port;
  const bool wanted = (outputs_[input.output].wanted_by & idle_requesters_) != 0;
  changed_ |= wants_of(port) | static_cast<std::uint32_t>(wanted) << input.output;
  if (__builtin_expect(input.outputs_beside != 0, 0)) {
    idle_outputs_ |= input.outputs_beside;
    changed_ |= std::exchange(input.outputs_beside, std::uint16_t{0});
  }
  if (__builtin_expect(input.replicated_flits == 0, 1)) return;
  flits_probes_[replication * stride + port](now, minus(input.replicated_flits));
  replication_freed(port, input.replicated_flits, now);
}

void SwitchCore::leave_crossbar(unsigned output, Crossing packet, Tick now, Tick end) {
  if (__builtin_expect(packet.exit == Exit::link, 1)) {
    links_[output].push(packet.packet, packet.vc, packet.flits, now, end);
    return links_.sending(output);
  }
  if (packet.exit == Exit::drop) return;
  EgressStage& station = *stations_[output];
  if (packet.exit == Exit::unit) {
    __builtin_prefetch(packet.packet->payload);
    __builtin_prefetch(packet.packet->payload + block_bytes / 2);
    station.consumed.push(packet.packet, end, packet.flits, packet.vc);
    station.consumed_flits += packet.flits;
    station.queue_probe(now, station.consumed_flits);
  } else {  // unit_and_link
    links_[output].reserve(packet.vc, packet.flits, now);
    station.passing.push(packet.packet, end, packet.flits, packet.vc);
  }
  serve_unit(output, now);
}

}  // namespace tributary
