#include "modules/netreduce/core/part_fields.h"

#include <algorithm>

namespace tributary {
namespace {

constexpr unsigned max_members = 64;
constexpr unsigned max_rings = 65536;
constexpr std::uint64_t max_rows = 1u << 24;
constexpr unsigned max_operand_bytes = EthernetLink::max_payload_bytes;

const char* const cl_commands[] = {"update", "find", nullptr};
const char* const verdicts[] = {"found", "unknown", "refused", "stale", nullptr};
const char* const slot_commands[] = {"begin", "arrive", "slot", nullptr};
const char* const arrivals[] = {"stored", "completed", "duplicate", "stale", "refused", nullptr};
const char* const emissions[] = {"none", "sender", "all", nullptr};
const char* const roles[] = {"alone", "leaf", "root", nullptr};
const char* const ct_commands[] = {"preset", "learn", "translate", nullptr};
const char* const directions[] = {"aggregate", "multicast", nullptr};
const char* const header_commands[] = {"reserve", "store", "load", nullptr};

void visit_connection(FieldVisitor& v, const char* group, ConnectionKey& key) {
  const FieldVisitor::Group named(v, group);
  v.number("source", key.source);
  v.number("destination", key.destination);
  v.number("queue_pair", key.queue_pair);
}

void visit_first(FieldVisitor& v, const std::string& group, FirstPacket& first) {
  const FieldVisitor::Group named(v, group);
  v.flag("valid", first.valid);
  v.number("message", first.message);
  v.number("psn", first.psn);
  v.number("address", first.address);
  v.number("rank", first.rank);
  v.number("udp_port", first.udp_port);
}

/// Checks that a place of a block exists: a record may have any number.
void check_place(const char* key, std::uint64_t place, std::uint64_t places) {
  if (place < places) return;
  throw FieldError("field `" + std::string(key) + "` is " + std::to_string(place) + " (legal: below " +
                   std::to_string(places) + ")");
}

void check_count(unsigned count, unsigned most, const char* what) {
  if (count < 1 || count > most)
    throw FieldError(std::to_string(count) + " " + what + " (legal: 1 to " + std::to_string(most) + ")");
}

void visit_ring(FieldVisitor& v, AggregationRing& ring) {
  v.number("number", ring.ring);
  v.name("role", ring.role, roles);
  v.number("window", ring.window);
  v.number("message_packets", ring.message_packets);
  v.number("mtu", ring.mtu);
  v.type("type", ring.type);
  v.op("op", ring.op);
  unsigned ranks = ring.ranks();
  v.number("ranks", ranks);
  if (v.sets()) {
    check_count(ranks, max_members, "ranks of a ring");
    check_count(ring.window, 64, "messages of a window");
    check_count(ring.message_packets, 4096, "packets of a message");
    ring.members.assign(ranks, {});
  }
  for (unsigned i = 0; i < ranks; ++i) {
    const FieldVisitor::Group named(v, "rank" + std::to_string(i));
    v.number("rank", ring.members[i].rank);
  }
}

}  // namespace

// ---- ICRC unit

void IcrcFields::request(FieldVisitor& v, IcrcTransaction& t) {
  auto* frame = const_cast<Packet*>(t.frame);
  visit_frame(v, "frame", frame, pool_);
  if (frame == nullptr) throw FieldError("field `frame.kind` is missing");
  t.frame = frame;
}
void IcrcFields::answer(FieldVisitor& v, const IcrcTransaction& t) const {
  bool right = t.right;
  v.flag("right", right);
}
void IcrcFields::dispose(IcrcTransaction& t) const { const_cast<Packet*>(t.frame)->release(); }

// ---- connection lookup table

void ClFields::request(FieldVisitor& v, ClTransaction& t) const {
  v.name("command", t.command, cl_commands);
  visit_connection(v, "connection", t.connection);
  v.number("psn", t.psn);
  if (t.command != ClTransaction::Command::update) return;
  v.number("ring", t.header.ring);
  v.number("rank", t.header.rank);
  v.number("message", t.header.message);
  v.number("message_packets", t.header.message_packets);
  if (t.header.message_packets == 0) throw FieldError("field `message_packets` is 0 (legal: at least 1)");
}
void ClFields::answer(FieldVisitor& v, const ClTransaction& t) const {
  SlotAddress a = t.address;
  v.name("verdict", a.verdict, verdicts);
  if (a.verdict != SlotAddress::Verdict::found) return;
  v.number("ring", a.ring);
  v.number("rank", a.rank);
  v.number("message", a.message);
  v.number("offset", a.offset);
}

// ---- state manager

void SlotFields::request(FieldVisitor& v, SlotTransaction& t) {
  v.name("command", t.command, slot_commands);
  v.number("ring", t.ring);
  if (t.command == SlotTransaction::Command::begin) {
    if (!v.sets()) ring_ = *t.config;
    visit_ring(v, ring_);
    if (!v.sets()) return;
    if (t.ring == 0) rings_.clear();
    if (t.ring != rings_.size()) check_place("ring", t.ring, 0);
    rings_.push_back(ring_);
    t.config = &ring_;
    return;
  }
  v.number("message", t.message);
  v.number("offset", t.offset);
  if (t.command == SlotTransaction::Command::arrive) v.number("member", t.member);
  if (!v.sets()) return;
  check_place("ring", t.ring, rings_.size());
  check_place("offset", t.offset, rings_[t.ring].message_packets);
  check_place("member", t.member, rings_[t.ring].ranks());
}
void SlotFields::answer(FieldVisitor& v, const SlotTransaction& t) const {
  if (t.command == SlotTransaction::Command::begin) return;
  SlotTransaction x = t;
  v.number("slot", x.verdict.slot);
  if (t.command == SlotTransaction::Command::slot) return v.flag("current", x.current);
  v.name("arrival", x.verdict.arrival, arrivals);
  v.name("emission", x.verdict.emission, emissions);
  v.flag("store", x.verdict.store);
  v.number("bitmap", x.bitmap);
}

// ---- connection translation table

void CtFields::request(FieldVisitor& v, CtTransaction& t) const {
  v.name("command", t.command, ct_commands);
  visit_connection(v, "from", t.from);
  if (t.command == CtTransaction::Command::translate) return;
  v.name("direction", t.direction, directions);
  visit_connection(v, "to", t.to);
  visit_first(v, "first", t.first);
  v.number("known_messages", t.known_messages);
}
void CtFields::answer(FieldVisitor& v, const CtTransaction& t) const {
  bool added = t.added;
  if (t.command == CtTransaction::Command::learn) return v.flag("added", added);
  if (t.command != CtTransaction::Command::translate) return;
  CtEntry entry = t.entry == nullptr ? CtEntry{} : *t.entry;
  auto targets = static_cast<std::uint32_t>(entry.to.size());
  v.number("targets", targets);
  if (t.entry == nullptr) return;
  v.name("direction", entry.direction, directions);
  v.flag("preset", entry.preset);
  for (std::uint32_t i = 0; i < targets; ++i) {
    const std::string to = "to" + std::to_string(i);
    visit_connection(v, to.c_str(), entry.to[i].connection);
    for (std::size_t f = 0; f < entry.to[i].firsts.size(); ++f)
      visit_first(v, to + ".first" + std::to_string(f), entry.to[i].firsts[f]);
  }
}

// ---- header manager

void HeaderFields::request(FieldVisitor& v, HeaderTransaction& t) {
  v.name("command", t.command, header_commands);
  if (t.command == HeaderTransaction::Command::reserve) {
    v.number("slots", t.slots);
    v.number("ranks", t.ranks);
    if (v.sets()) {
      check_count(t.slots, 1u << 20, "slots");
      check_count(t.ranks, max_members, "ranks");
      rows_ += std::uint64_t{t.slots} * t.ranks;
      check_place("slots", rows_, max_rows);
    }
    return;
  }
  v.number("row", t.row);
  if (v.sets()) check_place("row", t.row, rows_);
  if (t.command != HeaderTransaction::Command::store) return;
  auto* frame = const_cast<Packet*>(t.frame);
  visit_frame(v, "frame", frame, pool_);
  if (frame == nullptr) throw FieldError("field `frame.kind` is missing");
  t.frame = frame;
}
void HeaderFields::answer(FieldVisitor& v, const HeaderTransaction& t) const {
  HeaderTransaction x = t;
  if (t.command == HeaderTransaction::Command::reserve) return v.number("row", x.row);
  if (t.command != HeaderTransaction::Command::load) return;
  visit_header(v, x.entry.header);
  v.time("born", x.entry.born);
  v.number("payload_bytes", x.entry.payload_bytes);
}
void HeaderFields::dispose(HeaderTransaction& t) const {
  if (t.command == HeaderTransaction::Command::store) const_cast<Packet*>(t.frame)->release();
}

// ---- combinator

void CombineFields::request(FieldVisitor& v, CombineTransaction& t) {
  v.number("ring", t.ring);
  v.number("operands", t.operands);
  v.number("bytes", t.bytes);
  v.number("skip", t.skip);
  v.type("type", t.type);
  v.op("op", t.op);
  v.time("reading", t.reading);
  if (v.sets()) {
    check_place("ring", t.ring, max_rings);
    check_count(t.operands, max_members, "operands");
    check_count(t.bytes, max_operand_bytes, "bytes of an operand");
    if (t.skip > t.bytes || (t.bytes - t.skip) % element_size(t.type) != 0)
      throw FieldError("fields `bytes` and `skip` leave no whole elements");
    operands_.assign(t.operands, nullptr);
    sum_.assign(t.bytes, std::byte{0});
  }
  bool data = t.operand != nullptr;
  for (unsigned i = 0; i < t.operands; ++i) {
    const std::string key = "operand" + std::to_string(i);
    const FieldVisitor::Data x = v.data(key.c_str(), {data && !v.sets() ? t.operand[i] : nullptr, t.bytes}, t.type, t.skip);
    if (!v.sets()) continue;
    if (i == 0) data = x.bytes != nullptr;
    if ((x.bytes != nullptr) != data || (data && x.size != t.bytes))
      throw FieldError("field `" + key + "` does not have " + std::to_string(data ? t.bytes : 0) + " B");
    operands_[i] = x.bytes;
  }
  if (!v.sets()) return;
  t.operand = data ? operands_.data() : nullptr;
  t.sum = data ? sum_.data() : nullptr;
}
void CombineFields::answer(FieldVisitor& v, const CombineTransaction& t) const {
  const bool data = t.operand != nullptr;
  // The bytes before the elements are not those of the sum.
  v.data("sum", {data ? t.sum + t.skip : nullptr, t.bytes - t.skip}, t.type, 0);
}

}  // namespace tributary
