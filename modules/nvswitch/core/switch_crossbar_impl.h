#pragma once
/// BasicSwitchCore: the crossbar: room at its outputs, and the crossing of packets.

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "modules/nvswitch/core/basic_switch_core.h"
#include "modules/switching/core/crossbar_impl.h"

namespace tributary {

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::match(Tick now) {
  if (!crossbar_.match(*this, now)) horizon_ = now - 1;
}

// The link may not have run up to now. If it has left no room, the window ends at the last instant at which the link's
// state is known, so that a waiting input learns of room in time. An input that asks again before the link can have sent is
// refused immediately.
template <unsigned max_ports>
Room BasicSwitchCore<max_ports>::find_room(const Queued& packet, unsigned output, Tick now) {
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
template <unsigned max_ports>
bool BasicSwitchCore<max_ports>::nothing_sent(unsigned output, Tick now) const {
  return full_[output] && events_.at(link_event + output) > now;
}

// Checks nothing_sent() by running the link.
template <unsigned max_ports>
bool BasicSwitchCore<max_ports>::running_sends_nothing(unsigned output, Tick now) {
  const auto queued = [&] { return links_[output].queued_packets(0) + links_[output].queued_packets(1); };
  const unsigned before = queued();
  run_link(output, now - 1);
  return queued() == before;
}

template <unsigned max_ports>
inline typename BasicSwitchCore<max_ports>::Crossing BasicSwitchCore<max_ports>::take(unsigned requester, unsigned output) {
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

template <unsigned max_ports>
inline void BasicSwitchCore<max_ports>::cross(unsigned requester, unsigned output, const Crossing& packet, Tick now,
                                              Tick end) {
  const unsigned port = requester % stride;
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

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::crossbar_free(unsigned port, Tick now) {
  crossbar_.end_crossing(port);
  const unsigned flits = std::exchange(crossbar_.input(port).replicated_flits, std::uint8_t{0});
  if (__builtin_expect(flits == 0, 1)) return;
  flits_probes_[replication * stride + port](now, minus(flits));
  replication_freed(port, flits, now);
}

template <unsigned max_ports>
void BasicSwitchCore<max_ports>::enter_stage(unsigned output, const Crossing& packet, Tick now, Tick end) {
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

}  // namespace tributary
