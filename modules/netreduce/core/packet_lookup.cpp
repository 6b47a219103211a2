#include "modules/netreduce/core/packet_lookup.h"

#include <algorithm>

#include "modules/netreduce/core/part_answers.h"

namespace tributary {
namespace {

const char* why_of(SlotAddress::Verdict verdict) {
  if (verdict == SlotAddress::Verdict::refused) return "dropped: the first packet of its message is missing";
  return verdict == SlotAddress::Verdict::stale ? "dropped: its message is too old for its connection's entry"
                                                : "dropped: no first packet of its connection has arrived";
}

}  // namespace

unsigned PacketLookup::ring_of(std::uint16_t number) const {
  const AggregationRing* const ring = ring_numbered(rings_, number);
  return ring == nullptr ? none : static_cast<unsigned>(ring - rings_.data());
}

bool PacketLookup::carried(unsigned payload_bytes) const {
  return std::any_of(rings_.begin(), rings_.end(), [&](const AggregationRing& r) { return r.carries(payload_bytes); });
}

PacketLookup::Place PacketLookup::gradient(Packet& frame, Tick now) {
  ClTransaction t;
  t.now = now;
  if (!ask(frame, t)) return dropped(now);
  if (__builtin_expect(answers_ != nullptr, 0)) return may_wait(frame, now, t);
  const Tick answered = connections_.answer(t);
  return found(frame, t, clock_.edge(answered));
}

/// Asks a table that may answer later.
PacketLookup::Place PacketLookup::may_wait(Packet& frame, Tick now, ClTransaction& t) {
  Late& late = late_.emplace_back(Late{&frame, now, {}, {}, never});
  late.answer.listener = answers_, late.answer.ticket = answers_->count();
  t.late = &late.answer;
  const Tick answered = connections_.answer(t);
  if (late.answer.part == nullptr && late_.size() == 1) {
    late_.pop_back();
    return found(frame, t, clock_.edge(answered));
  }
  late.request = t;
  late.answer.address = t.address;
  if (late.answer.part == nullptr)
    late.answered = answered;
  else
    answers_->defer(*late.answer.part, t.now, *this);
  Place follows;
  follows.when = never;
  return follows;
}

/// Passes on all places up to the first that is not known.
void PacketLookup::answered(Ticket ticket, Tick when) {
  for (Late& late : late_)
    if (late.answered == never && late.answer.ticket == ticket) late.answered = when;
  while (!late_.empty() && late_.front().answered != never) {
    Late late = late_.front();
    late_.pop_front();
    late.request.address = late.answer.address;
    latest_ = std::max(latest_, late.answered);
    listener_->looked_up(late.frame, late.arrived, found(*late.frame, late.request, clock_.edge(latest_)));
  }
}

void PacketLookup::clear() {
  connections_.clear();
  for (const Late& late : late_) late.frame->release();
  late_.clear();
  latest_ = 0;
}

/// A first packet must be that of a member of the ring that it names; other packets are no gradients of a job here.
bool PacketLookup::ask(const Packet& frame, ClTransaction& t) const {
  const RoceHeader& h = roce(frame);
  if (!carried(frame.payload_bytes)) return false;
  t.connection = connection_of(h);
  t.psn = h.psn;
  if (h.tagged == 0) return true;
  const unsigned ring = ring_of(h.ring);
  if (ring == none || rings_[ring].role == TreeRole::root || tree_.member_of(ring, t.connection) == none) return false;
  t.command = ClTransaction::Command::update;
  t.header = {h.ring, h.rank, h.extra, static_cast<std::uint16_t>(rings_[ring].message_packets)};
  return true;
}

PacketLookup::Place PacketLookup::found(const Packet& frame, const ClTransaction& t, Tick when) const {
  if (t.address.verdict != SlotAddress::Verdict::found) return dropped(when, why_of(t.address.verdict));
  const unsigned ring = ring_of(t.command == ClTransaction::Command::update ? t.header.ring : t.address.ring);
  if (ring == none) return dropped(when);
  const AggregationRing& config = rings_[ring];
  const unsigned member = tree_.member_of(ring, t.connection);
  if (member == none || !config.carries(frame.payload_bytes)) return dropped(when);
  require_place("clt", t.address.offset, config.message_packets, [&] { return name_of(config) + ", packet"; });
  return {ring, member, t.address.message, t.address.offset, when, nullptr};
}

/// Virtual connections carry message and offset explicitly.
PacketLookup::Place PacketLookup::aggregate(const Packet& frame, Tick now) const {
  const RoceHeader& h = roce(frame);
  const unsigned ring = ring_of(h.ring);
  if (ring == none || rings_[ring].role != TreeRole::root || h.psn >= rings_[ring].message_packets ||
      !rings_[ring].carries(frame.payload_bytes))
    return dropped(now);
  const unsigned member = tree_.member_of(ring, virtual_connection(h));
  if (member == none) return dropped(now);
  return {ring, member, h.extra, h.psn, now, nullptr};
}

}  // namespace tributary
