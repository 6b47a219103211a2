#include "modules/netreduce/core/leaf_translation.h"

namespace tributary {
namespace {

/// Returns the kind of a packet that begins or ends a WRITE; the last one of a message has an immediate.
FrameKind kind_of(bool begins, bool ends, bool last) {
  if (!ends) return begins ? FrameKind::write_first : FrameKind::write_middle;
  if (begins) return last ? FrameKind::write_only_immediate : FrameKind::write_only;
  return FrameKind::write_last_immediate;
}

}  // namespace

bool LeafTranslation::learn(const AggregationRing& ring, unsigned member, const RoceHeader& first, bool again,
                            PartPort<CtTransaction>& table, Tick now) {
  const bool known = learnt_[member];
  learnt_[member] = true;
  if (!known) {
    CtTransaction up;
    up.command = CtTransaction::Command::learn;
    up.from = connection_of(first);
    up.to = ring.upward();
    up.now = now;
    table.access(up);
  }
  if (ring.receiver(first.destination) != nullptr) {
    CtTransaction t = down(ring, first, now);
    if (!known || every_message_) table.access(t);
    return false;
  }
  // A first packet that arrives again indicates a loss, which may have hit the notification.
  return !known || every_message_ || again;
}

void LeafTranslation::notified(const AggregationRing& ring, const RoceHeader& first, PartPort<CtTransaction>& table,
                               Tick now) const {
  CtTransaction t = down(ring, first, now);
  table.access(t);
}

CtTransaction LeafTranslation::down(const AggregationRing& ring, const RoceHeader& first, Tick now) const {
  CtTransaction t;
  t.command = CtTransaction::Command::learn;
  t.direction = CtDirection::multicast;
  t.from = ring.downward();
  t.to = connection_of(first);
  t.known_messages = known_messages_;
  t.first = {first.extra, first.psn, first.address, first.rank, first.udp_port, true};
  t.now = now;
  return t;
}

// Message numbers wrap at 2^32, and PSNs at 2^24.
RoceHeader LeafTranslation::header(const AggregationRing& ring, const CtTarget& target, const FirstPacket& first,
                                   std::uint32_t message, std::uint32_t offset) {
  const bool begins = offset == 0, ends = offset + 1 == ring.message_packets;
  RoceHeader h{};
  h.kind = kind_of(begins || ring.pattern.by_packet(), ends || ring.pattern.by_packet(), ends);
  h.source = target.connection.source;
  h.destination = target.connection.destination;
  h.queue_pair = target.connection.queue_pair;
  h.udp_port = first.udp_port;
  h.psn = Psn::add(first.psn, static_cast<std::int64_t>(static_cast<std::int32_t>(message - first.message)) *
                                      static_cast<std::int64_t>(ring.message_packets) +
                                  offset);
  h.ack_request = ends || (offset + 1) % ring.ack_interval == 0;
  h.extra = begins || ends ? message : 0;
  h.address = address(ring, first, message, offset);
  if (!begins) return h;
  h.tagged = 1;
  h.ring = ring.ring;
  h.rank = first.rank;
  return h;
}

/// The first packet of a message is addressed to the buffer of its message, or to the place of headers after the result.
std::uint64_t LeafTranslation::address(const AggregationRing& ring, const FirstPacket& first, std::uint32_t message,
                                       std::uint32_t offset) {
  const RingPattern& pattern = ring.pattern;
  if (pattern.by_packet())
    return offset == 0 ? first.address : first.address - pattern.header_place() + pattern.data(message, offset).place;
  const unsigned messages = 2 * ring.window;
  if (offset != 0) return 0;
  return first.address - std::uint64_t{first.message % messages} * ring.message_bytes() +
         std::uint64_t{message % messages} * ring.message_bytes();
}

void LeafTranslation::save(StateWriter& out) const {
  for (const bool learnt : learnt_) out(learnt);
}

void LeafTranslation::load(StateReader& in) {
  for (std::size_t i = 0; i < learnt_.size(); ++i) {
    bool learnt = false;
    in(learnt);
    learnt_[i] = learnt;
  }
}

}  // namespace tributary
