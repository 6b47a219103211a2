#include "modules/netreduce/core/slot_observer.h"

namespace tributary {

void SlotObserver::show(SlotEvent::Kind kind, const SlotCommit& c, std::uint32_t slot, std::uint64_t bitmap, Tick when) {
  const AggregationRing& ring = rings_[c.ring];
  SlotEvent e;
  e.kind = kind;
  e.whole = ring.role != TreeRole::leaf;
  e.ring = ring.ring;
  e.source = roce(*c.frame).source;
  e.ranks = static_cast<std::uint16_t>(ring.ranks());
  e.message = c.message, e.offset = c.offset, e.slot = slot;
  e.header = storage_.row(c.ring, slot, c.member);
  e.psn = roce(*c.frame).psn;
  e.bitmap = bitmap;
  e.member = std::uint64_t{1} << c.member;
  e.type = ring.type;
  const unsigned skip = header_bytes(c.offset);
  if (c.frame->payload != nullptr && c.frame->payload_bytes > skip) e.operand = c.frame->payload + skip;
  const bool sum = kind == SlotEvent::Kind::added || kind == SlotEvent::Kind::again;
  const bool empty = ring.pattern.by_packet() && storage_.sum_bytes(c.ring, slot) == 0;
  if (sum && !empty && storage_.sum(c.ring, slot) != nullptr && !storage_.is_late(c.ring, slot))
    e.value = storage_.sum(c.ring, slot) + skip;
  events_(when, e);
}

void SlotObserver::show_passed(unsigned ring, std::uint32_t slot, const Packet& frame, Tick when) {
  const RoceHeader& h = roce(frame);
  SlotEvent e;
  e.kind = SlotEvent::Kind::passed;
  e.whole = true;
  e.ring = rings_[ring].ring;
  e.source = h.source;
  e.ranks = static_cast<std::uint16_t>(rings_[ring].ranks());
  e.message = h.extra, e.offset = h.psn, e.slot = slot;
  e.type = rings_[ring].type;
  if (frame.payload != nullptr) e.value = frame.payload + header_bytes(h.psn);
  events_(when, e);
}

}  // namespace tributary
