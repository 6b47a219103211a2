#include "modules/netreduce/core/part_monitors.h"

#include <algorithm>
#include <cstring>

#include "modules/base/sum_check.h"

namespace tributary {
namespace {

std::string text_of(const ConnectionKey& c) {
  return std::to_string(c.source) + ">" + std::to_string(c.destination) + " queue pair " + std::to_string(c.queue_pair);
}

}  // namespace

// ---- ICRC unit

std::string IcrcMonitor::request() const { return "psn " + std::to_string(psn_); }

void IcrcMonitor::ask(const IcrcTransaction& t, Tick now) {
  begin(now);
  psn_ = roce(*t.frame).psn;
}

void IcrcMonitor::check(const IcrcTransaction& t, Tick interval, Tick latency) {
  check_times(interval, latency);
  if (t.frame->references() == 0) fail("keep", "the frame is released");
}

// ---- connection lookup table

std::string ClMonitor::request() const {
  const bool first = asked_.command == ClTransaction::Command::update;
  std::string text = (first ? "update, connection " : "find, connection ") + text_of(asked_.connection) + ", psn " +
                     std::to_string(asked_.psn);
  if (first)
    text += ", ring " + std::to_string(asked_.header.ring) + ", rank " + std::to_string(asked_.header.rank) + ", message " +
            std::to_string(asked_.header.message);
  return text;
}

void ClMonitor::ask(const ClTransaction& t, Tick now) {
  begin(now);
  asked_ = t;
  if (t.command == ClTransaction::Command::update) first_[word_of(t.connection)] = {t.header, t.psn};
}

void ClMonitor::check(const ClTransaction& t, Tick interval, Tick latency) {
  check_times(interval, latency);
  const SlotAddress::Verdict verdict = t.address.verdict;
  if (verdict > SlotAddress::Verdict::stale)
    fail("answer", "`verdict` is undefined " + std::to_string(static_cast<unsigned>(verdict)));
  if (verdict == SlotAddress::Verdict::found) check_found(t.address);
}

/// The distance of PSNs between a packet and the first packet of a message is that of their places.
void ClMonitor::check_found(const SlotAddress& a) const {
  const auto known = first_.find(word_of(asked_.connection));
  if (known == first_.end()) return fail("answer", "finds a connection of which no first packet has arrived");
  const auto& [header, psn] = known->second;
  if (a.ring != header.ring)
    fail("ring", "finds ring " + std::to_string(a.ring) + "; legal: " + std::to_string(header.ring) +
                     ", as the first packet of the connection");
  if (a.rank != header.rank)
    fail("rank", "finds rank " + std::to_string(a.rank) + "; legal: " + std::to_string(header.rank) +
                     ", as the first packet of the connection");
  if (a.offset >= header.message_packets)
    fail("address", "finds packet " + std::to_string(a.offset) + " of a message; legal: below " +
                        std::to_string(header.message_packets));
  const std::int64_t messages = static_cast<std::int32_t>(a.message - header.message);
  const std::int64_t distance = messages * header.message_packets + a.offset;
  constexpr std::int64_t psns = std::int64_t{1} << 24;
  if ((distance - (std::int64_t{asked_.psn} - psn)) % psns != 0)
    fail("address", "finds message " + std::to_string(a.message) + ", packet " + std::to_string(a.offset) +
                        ", whose psn is " + std::to_string(((distance + psn) % psns + psns) % psns));
}

// ---- state manager

std::string SlotMonitor::request() const {
  const char* const names[] = {"begin", "arrive", "slot"};
  return names[static_cast<unsigned>(asked_.command)] + (", ring " + std::to_string(asked_.ring)) + ", message " +
         std::to_string(asked_.message) + ", offset " + std::to_string(asked_.offset) + ", member " +
         std::to_string(asked_.member);
}

void SlotMonitor::ask(const SlotTransaction& t, Tick now) {
  begin(now);
  asked_ = t;
  if (t.command != SlotTransaction::Command::begin) return;
  if (slots_.size() <= t.ring) slots_.resize(t.ring + 1);
  slots_[t.ring] = std::uint64_t{2} * t.config->window * t.config->message_packets;
}

void SlotMonitor::check(const SlotTransaction& t, Tick interval, Tick latency) {
  check_times(interval, latency);
  if (asked_.command == SlotTransaction::Command::begin || asked_.ring >= slots_.size()) return;
  if (t.verdict.slot >= slots_[asked_.ring])
    fail("slot", "answers slot " + std::to_string(t.verdict.slot) + "; legal: below " + std::to_string(slots_[asked_.ring]));
  if (asked_.command != SlotTransaction::Command::arrive) return;
  if (t.verdict.arrival > StateRecord::Arrival::refused)
    fail("answer", "`arrival` is undefined " + std::to_string(static_cast<unsigned>(t.verdict.arrival)));
  if (t.verdict.emission > StateRecord::Emission::all)
    fail("answer", "`emission` is undefined " + std::to_string(static_cast<unsigned>(t.verdict.emission)));
}

// ---- connection translation table

std::string CtMonitor::request() const {
  const char* const names[] = {"preset", "learn", "translate"};
  std::string text = names[static_cast<unsigned>(asked_.command)] + (", from " + text_of(asked_.from));
  if (asked_.command != CtTransaction::Command::translate) text += ", to " + text_of(asked_.to);
  return text;
}

void CtMonitor::ask(const CtTransaction& t, Tick now) {
  begin(now);
  asked_ = t;
  if (t.command == CtTransaction::Command::translate) return;
  CtTransaction taught = t;
  table_.access(taught);
}

void CtMonitor::check(const CtTransaction& t, Tick interval, Tick latency) {
  check_times(interval, latency);
  if (asked_.command != CtTransaction::Command::translate || t.entry == nullptr) return;
  const CtEntry& entry = *t.entry;
  const CtEntry* const taught = table_.find(asked_.from);
  if (taught == nullptr) return fail("answer", "translates a connection that has not been taught");
  if (entry.direction > CtDirection::multicast)
    fail("answer", "`direction` is undefined " + std::to_string(static_cast<unsigned>(entry.direction)));
  if (entry.to.size() > taught->to.size())
    fail("answer", "has " + std::to_string(entry.to.size()) + " targets; legal: up to " + std::to_string(taught->to.size()) +
                       ", which have been taught");
  for (const CtTarget& target : entry.to) check_target(target, *taught);
}

void CtMonitor::check_target(const CtTarget& target, const CtEntry& taught) const {
  const auto known =
      std::find_if(taught.to.begin(), taught.to.end(), [&](const CtTarget& x) { return x.connection == target.connection; });
  if (known == taught.to.end())
    return fail("address", "translates to " + text_of(target.connection) + ", which has not been taught");
  for (const FirstPacket& first : target.firsts) {
    if (!first.valid) continue;
    const FirstPacket* const right = known->first_of(first.message);
    const bool same = right != nullptr && right->message == first.message && right->psn == first.psn &&
                      right->address == first.address && right->rank == first.rank;
    if (!same && right != nullptr && right->message == first.message)
      fail("data", "has another first packet of message " + std::to_string(first.message) + " than was taught");
  }
}

// ---- header manager

std::string HeaderMonitor::request() const {
  const char* const names[] = {"reserve", "store", "load"};
  return names[static_cast<unsigned>(asked_.command)] + (", row " + std::to_string(asked_.row));
}

void HeaderMonitor::ask(const HeaderTransaction& t, Tick now) {
  begin(now);
  asked_ = t;
  if (t.command != HeaderTransaction::Command::store) return;
  if (stored_.size() <= t.row) stored_.resize(std::size_t{t.row} + 1);
  stored_[t.row] = {roce(*t.frame), t.frame->payload_bytes, true};
}

void HeaderMonitor::check(const HeaderTransaction& t, Tick interval, Tick latency) {
  check_times(interval, latency);
  if (asked_.command != HeaderTransaction::Command::load || asked_.row >= stored_.size()) return;
  const Stored& right = stored_[asked_.row];
  if (!right.valid) return;
  if (std::memcmp(&t.entry.header, &right.header, sizeof right.header) != 0)
    fail("data", "another header than was stored: psn " + std::to_string(t.entry.header.psn) + ", connection " +
                     text_of(connection_of(t.entry.header)) + " in place of psn " + std::to_string(right.header.psn) +
                     ", connection " + text_of(connection_of(right.header)));
  if (t.entry.payload_bytes != right.payload_bytes)
    fail("length", "a payload of " + std::to_string(t.entry.payload_bytes) + " B in place of " +
                       std::to_string(right.payload_bytes) + " B");
}

// ---- combinator

std::string CombineMonitor::request() const {
  return "ring " + std::to_string(asked_.ring) + ", operands " + std::to_string(asked_.operands) + ", bytes " +
         std::to_string(asked_.bytes) + ", skip " + std::to_string(asked_.skip);
}

void CombineMonitor::ask(const CombineTransaction& t, Tick now) {
  begin(now);
  asked_ = t;
  if (t.sum != nullptr) before_.assign(t.sum, t.sum + t.skip);
}

void CombineMonitor::check(const CombineTransaction& t, Tick interval, Tick latency) {
  check_times(interval, latency);
  if (t.bytes != asked_.bytes || t.skip != asked_.skip)
    fail("length", "a sum of " + std::to_string(t.bytes) + " B with " + std::to_string(t.skip) + " B before it; legal: " +
                       std::to_string(asked_.bytes) + " B with " + std::to_string(asked_.skip) + " B");
  if (t.operand != asked_.operand || t.operands != asked_.operands || t.sum != asked_.sum || t.ring != asked_.ring ||
      t.type != asked_.type || t.op != asked_.op)
    fail("keep", "fields of the request are changed");
  if (asked_.operand == nullptr || asked_.sum == nullptr) return;
  if (!std::equal(before_.begin(), before_.end(), asked_.sum)) fail("address", "bytes before the first element are written");
  if (t.late.part == nullptr) check_sum(asked_);  // otherwise the sum follows, and the ranks check it
}

void CombineMonitor::check_sum(const CombineTransaction& t) {
  if (t.op == ReduceOp::sum && !is_integer(t.type)) return;
  right_.assign(t.operand[0] + t.skip, t.operand[0] + t.bytes);
  for (unsigned r = 1; r < t.operands; ++r) apply(t.op, t.type, right_.data(), t.operand[r] + t.skip, right_.size());
  if (const std::string wrong = wrong_lane(t.type, right_.data(), t.sum + t.skip, right_.size()); !wrong.empty())
    fail("data", wrong);
}

}  // namespace tributary
