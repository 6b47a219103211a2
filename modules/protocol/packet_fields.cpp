#include "modules/protocol/packet_fields.h"

#include <cstring>

namespace tributary {
namespace {

const char* const targets[] = {"gpu", "home", "region", nullptr};
const char* const ecns[] = {"not_capable", "", "capable", "congested", nullptr};

/// Visits the sizes and the payload of a packet. A setting visitor makes the packet.
void visit_payload(FieldVisitor& v, Packet*& p, PacketPool& pool, std::uint16_t most, ElementType type) {
  std::uint16_t bytes = p == nullptr ? 0 : p->payload_bytes;
  v.number("payload_bytes", bytes);
  if (bytes > most)
    throw FieldError("a payload of " + std::to_string(bytes) + " B (legal: at most " + std::to_string(most) + ")");
  const FieldVisitor::Data data = v.data("data", {p == nullptr ? nullptr : p->payload, bytes}, type, 0);
  if (!v.sets()) return;
  if (data.bytes != nullptr && data.size != bytes)
    throw FieldError("a payload of " + std::to_string(bytes) + " B has " + std::to_string(data.size) + " B of data");
  p = pool.make(bytes, data.bytes != nullptr);
  if (p->payload != nullptr) std::memcpy(p->payload, data.bytes, bytes);
}

void visit_header(FieldVisitor& v, NvHeader& h) {
  v.name("opcode", h.opcode, nvlink_opcode_names);
  v.number("address", h.address);
  v.number("source", h.source);
  v.number("destination", h.destination);
  v.number("count", h.count);
  v.number("slot", h.slot);
  v.name("target", h.target, targets);
  v.type("type", h.type);
  v.op("op", h.op);
  v.flag("reply_home", h.reply_home);
  v.flag("to_one", h.to_one);
  v.flag("flag", h.flag);
  v.flag("merge_acks", h.merge_acks);
  v.number("length", h.length);
  v.number("rank", h.rank);
  v.number("counter", h.counter);
  v.number("plane", h.plane);
  v.number("home_switch", h.home_switch);
  v.number("home_port", h.home_port);
  v.number("trunk", h.trunk);
}

/// Visits a bit field of a header.
template <class Set>
void visit_bit(FieldVisitor& v, const char* key, bool x, Set&& set) {
  v.flag(key, x);
  set(x);
}

template <class Header, class Visit>
void visit_packet(FieldVisitor& v, const char* group, Packet*& p, PacketPool& pool, std::uint16_t most, Visit&& visit) {
  if (!v.has(group, p != nullptr)) {
    if (v.sets()) p = nullptr;
    return;
  }
  const FieldVisitor::Group named(v, group);
  Header h = p == nullptr ? Header{} : p->header<Header>();
  Tick born = p == nullptr ? 0 : p->born;
  std::uint8_t vc = p == nullptr ? 0 : p->vc, damage = p == nullptr ? 0 : p->damage;
  const ElementType type = visit(h);
  v.time("born", born);
  v.number("vc", vc);
  v.number("damage", damage);
  visit_payload(v, p, pool, most, type);
  if (!v.sets()) return;
  p->header<Header>() = h;
  p->born = born;
  p->vc = vc;
  p->damage = damage;
}

}  // namespace

void visit_operand(FieldVisitor& v, const char* group, Packet*& packet, PacketPool& pool) {
  visit_packet<NvHeader>(v, group, packet, pool, NvLink::max_payload_bytes, [&](NvHeader& h) {
    visit_header(v, h);
    return h.type;
  });
}

void visit_sum(FieldVisitor& v, const char* group, const Packet* packet) {
  if (!v.has(group, packet != nullptr)) return;
  const FieldVisitor::Group named(v, group);
  NvHeader h = nv(*packet);
  v.number("address", h.address);
  v.type("type", h.type);
  v.data("data", {packet->payload, packet->payload_bytes}, h.type, 0);
}

void visit_header(FieldVisitor& v, RoceHeader& h) {
  v.name("kind", h.kind, frame_kind_names);
  v.number("source", h.source);
  v.number("destination", h.destination);
  v.number("queue_pair", h.queue_pair);
  v.number("psn", h.psn);
  v.number("address", h.address);
  v.number("extra", h.extra);
  v.number("ring", h.ring);
  v.number("rank", h.rank);
  v.number("udp_port", h.udp_port);
  Ecn ecn = static_cast<Ecn>(h.ecn);
  v.name("ecn", ecn, ecns);
  h.ecn = static_cast<std::uint8_t>(ecn) & 3u;
  visit_bit(v, "ack_request", h.ack_request, [&h](bool x) { h.ack_request = x; });
  visit_bit(v, "tagged", h.tagged, [&h](bool x) { h.tagged = x; });
  visit_bit(v, "from_above", h.from_above, [&h](bool x) { h.from_above = x; });
}

void visit_frame(FieldVisitor& v, const char* group, Packet*& frame, PacketPool& pool) {
  visit_packet<RoceHeader>(v, group, frame, pool, EthernetLink::max_payload_bytes, [&](RoceHeader& h) {
    visit_header(v, h);
    return ElementType::f32;  // the elements of a frame are those of its ring
  });
  if (v.sets() && frame != nullptr)
    frame->wire_bytes = static_cast<std::uint16_t>(EthernetFrame::wire_bytes(roce(*frame).kind, frame->payload_bytes));
}

}  // namespace tributary
