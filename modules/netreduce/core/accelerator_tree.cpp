/// AcceleratorCore in a tree of accelerators. Sums go up and results go down over virtual connections, whose frames carry
/// message and offset instead of a PSN (Liu et al., 5.2; docs/systems/netreduce.md#trees).

#include <algorithm>

#include "modules/ethernet/core/aggregation_bytes.h"
#include "modules/netreduce/core/accelerator_core.h"

namespace tributary {

/// Presets the connections of a root, which are known at job initialisation.
void AcceleratorCore::preset(unsigned ring, Tick now) {
  const AggregationRing& r = configs_[ring];
  if (r.role != TreeRole::root) return;
  for (const AggregationRing::Member& from : r.members)
    for (const AggregationRing::Member& to : r.members) {
      CtTransaction t;
      t.command = CtTransaction::Command::preset;
      t.from = from.connection;
      t.to = {r.station, to.connection.source, r.ring};
      t.now = now;
      parts_.translations.access(t);
    }
}

// ---- learning from first packets

/// A leaf learns a connection: its sums go up. Its results come down to this leaf, or to the leaf that gets the
/// notification.
void AcceleratorCore::learn(const Commit& c) {
  const AggregationRing& ring = configs_[c.ring];
  const RoceHeader& h = roce(*c.frame);
  const bool literal = config_.params.ctt.learn == CtLearning::per_message;
  const bool known = states_[c.ring].learnt[c.member];
  CtTransaction t;
  t.command = CtTransaction::Command::learn;
  t.now = c.when;
  t.from = connection_of(h);
  t.to = ring.upward();
  if (!known) parts_.translations.access(t);
  states_[c.ring].learnt[c.member] = true;
  if (ring.receiver(h.destination) != nullptr) {
    t.direction = CtDirection::multicast;
    t.from = ring.downward();
    t.to = connection_of(h);
    t.known_messages = literal ? 2 * ring.window : 1;
    t.first = {h.extra, h.psn, h.address, h.rank, h.udp_port, true};
    if (!known || literal) parts_.translations.access(t);
    return;
  }
  // A first packet that arrives again indicates a loss, which may have hit the notification.
  if (!known || literal || c.again) send_notification(c.ring, *c.frame, c.when);
}

void AcceleratorCore::send_notification(unsigned ring, const Packet& first, Tick now) {
  Packet* const frame = frame_of(FrameKind::notification, 0, nullptr, 0, first.born);
  RoceHeader& h = roce(*frame) = roce(first);
  h.kind = FrameKind::notification;
  h.ack_request = 0;
  push(configs_[ring].uplink, frame, now + cycles(config_.params.lookup_cycles + config_.params.mac_cycles));
}

void AcceleratorCore::take_notification(const Arrival& a) {
  const RoceHeader& h = roce(*a.frame);
  const unsigned ring = ring_of(h.ring);
  if (ring == none || configs_[ring].role != TreeRole::leaf || configs_[ring].receiver(h.destination) == nullptr ||
      states_[ring].member_of.count(word_of(connection_of(h))) != 0)
    return drop(a.frame, dropped_, a.when);
  CtTransaction t;
  t.command = CtTransaction::Command::learn;
  t.direction = CtDirection::multicast;
  t.from = configs_[ring].downward();
  t.to = connection_of(h);
  t.known_messages = config_.params.ctt.learn == CtLearning::per_message ? 2 * configs_[ring].window : 1;
  t.first = {h.extra, h.psn, h.address, h.rank, h.udp_port, true};
  t.now = a.when;
  parts_.translations.access(t);
  a.frame->release();
}

// ---- up, and from the root to its leaves

/// Sends one frame for each connection that the connections of the ranks translate to; duplicates are sent once.
void AcceleratorCore::send_sums(const Commit& c, std::uint32_t slot, Tick ready, const std::byte* sum) {
  const AggregationRing& ring = configs_[c.ring];
  targets_.clear();
  Tick extra = 0;
  unsigned ecn = 0;
  Tick born = 0;
  for (unsigned m = 0; m < ring.ranks(); ++m) {
    CtTransaction t;
    t.from = ring.members[m].connection;
    t.now = ready;
    extra = std::max(extra, parts_.translations.access(t));
    if (t.entry == nullptr) continue;
    for (const CtTarget& target : t.entry->to)
      if (std::find(targets_.begin(), targets_.end(), target.connection) == targets_.end())
        targets_.push_back(target.connection);
    HeaderTransaction header;
    header.row = row(c.ring, slot, m);
    header.now = ready;
    parts_.headers.access(header);
    const RoceHeader& h = header.entry.header;
    ecn = std::max<unsigned>(ecn, h.ecn);
    born = std::max(born, header.entry.born);
  }
  for (const ConnectionKey& to : targets_) {
    Packet* const frame = frame_of(FrameKind::aggregate, ring.mtu, sum, header_bytes(c.offset), born);
    RoceHeader& h = roce(*frame);
    h.source = to.source;
    h.destination = to.destination;
    h.udp_port = ring.ring;
    h.ring = ring.ring;
    h.rank = ring.number;
    h.psn = c.offset;
    h.extra = c.message;
    h.ecn = ecn & 3u;
    h.from_above = ring.role == TreeRole::root;
    push(port_to(c.ring, to), frame, edge(ready + extra));
  }
}

unsigned AcceleratorCore::port_to(unsigned ring, const ConnectionKey& to) const {
  const AggregationRing& r = configs_[ring];
  if (r.role == TreeRole::leaf) return r.uplink;
  for (const AggregationRing::Member& m : r.members)
    if (m.connection.source == to.destination) return m.port;
  return 0;
}

// ---- down to the hosts of a leaf

/// A result bypasses the slots. It is forwarded while the slot here belongs to its message; after that, all ranks have it.
void AcceleratorCore::take_result(const Arrival& a) {
  const RoceHeader& h = roce(*a.frame);
  const unsigned ring = ring_of(h.ring);
  if (ring == none || configs_[ring].role != TreeRole::leaf || !(virtual_connection(h) == configs_[ring].downward()) ||
      h.psn >= configs_[ring].message_packets || a.frame->payload_bytes != configs_[ring].mtu)
    return drop(a.frame, dropped_, a.when);
  SlotTransaction slot;
  slot.command = SlotTransaction::Command::slot;
  slot.ring = ring;
  slot.message = h.extra;
  slot.offset = h.psn;
  slot.now = a.when;
  parts_.slots.access(slot);
  if (!slot.current)
    return drop(a.frame, dropped_, a.when, "dropped: the slot here is not full, or belongs to another message");
  CtTransaction t;
  t.from = configs_[ring].downward();
  t.now = a.when;
  const Tick extra = parts_.translations.access(t);
  const Tick ready = edge(a.when + extra) + cycles(config_.params.lookup_cycles + config_.params.mac_cycles);
  if (t.entry == nullptr) return drop(a.frame, ctt_misses_, a.when, "dropped: no connection to a host here is known");
  if (t.entry->to.size() < configs_[ring].receivers.size()) ctt_misses_(a.when, h.psn);
  if (__builtin_expect(slot_events_.observed(), 0)) {
    SlotEvent e;
    e.kind = SlotEvent::Kind::passed;
    e.whole = true;
    e.ring = configs_[ring].ring;
    e.source = h.source;
    e.ranks = static_cast<std::uint16_t>(configs_[ring].ranks());
    e.message = h.extra, e.offset = h.psn, e.slot = slot.verdict.slot;
    e.type = configs_[ring].type;
    if (a.frame->payload != nullptr) e.value = a.frame->payload + header_bytes(h.psn);
    slot_events_(a.when, e);
  }
  for (const CtTarget& target : t.entry->to) send_down(ring, target, *a.frame, slot.verdict.slot, ready);
  a.frame->release();
}

/// The header is that of a gradient that has passed here, or is computed from a first packet of its connection.
void AcceleratorCore::send_down(unsigned ring, const CtTarget& target, const Packet& result, std::uint32_t slot,
                                Tick ready) {
  const AggregationRing& r = configs_[ring];
  const RoceHeader& above = roce(result);
  const std::uint32_t offset = above.psn, message = above.extra;
  const AggregationRing::Receiver* const receiver = r.receiver(target.connection.destination);
  const auto member = states_[ring].member_of.find(word_of(target.connection));
  if (receiver == nullptr) return;
  if (member != states_[ring].member_of.end()) {
    HeaderTransaction t;
    t.row = row(ring, slot, member->second);
    t.now = ready;
    const Tick extra = parts_.headers.access(t);
    Packet* const frame = frame_of(t.entry.header.kind, r.mtu, result.payload, header_bytes(offset), t.entry.born);
    roce(*frame) = t.entry.header;
    roce(*frame).ecn = std::max<unsigned>(t.entry.header.ecn, above.ecn) & 3u;
    if (frame->payload != nullptr && offset == 0) copy_header_bytes(ring, slot, member->second, frame->payload);
    return push(receiver->port, frame, edge(ready + extra));
  }
  const FirstPacket* const first = target.first_of(message);
  if (first == nullptr) return ctt_misses_(ready, offset);
  const bool last = offset + 1 == r.message_packets;
  const FrameKind kind = offset == 0 ? (last ? FrameKind::write_only_immediate : FrameKind::write_first)
                                     : (last ? FrameKind::write_last_immediate : FrameKind::write_middle);
  Packet* const frame = frame_of(kind, r.mtu, result.payload, header_bytes(offset), result.born);
  RoceHeader& h = roce(*frame);
  h.source = target.connection.source;
  h.destination = target.connection.destination;
  h.queue_pair = target.connection.queue_pair;
  h.udp_port = first->udp_port;
  h.psn = Psn::add(first->psn, static_cast<std::int64_t>(static_cast<std::int32_t>(message - first->message)) *
                                       static_cast<std::int64_t>(r.message_packets) +
                                   offset);
  h.ecn = above.ecn;
  h.ack_request = last;
  h.extra = offset == 0 || last ? message : 0;
  if (offset == 0) {
    h.tagged = 1;
    h.ring = r.ring;
    h.rank = first->rank;
    const unsigned messages = 2 * r.window;
    if (frame->payload != nullptr)
      store_aggregation_header({r.ring, first->rank, message, static_cast<std::uint16_t>(r.message_packets)},
                               frame->payload);
    h.address = first->address - std::uint64_t{first->message % messages} * r.message_bytes() +
                std::uint64_t{message % messages} * r.message_bytes();
  }
  push(receiver->port, frame, ready);
}

}  // namespace tributary
