#include "modules/nvswitch/core/answered_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/protocol/nvlink.h"

namespace tributary {
using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

unsigned beats_of(const Packet& packet) { return flits_of<NvLink>(packet) - 1u; }

BeatHeader beat_header(const TableTransaction& t) {
  BeatHeader h;
  h.command = t.command;
  h.first_hop = t.first_hop;
  h.tag = t.address / block_bytes;
  h.requester = t.requester;
  h.expected = t.expected;
  h.time = t.now;
  if (t.packet == nullptr) return h;
  const NvHeader& n = nv(*t.packet);
  h.tag = n.address / block_bytes;
  h.type = n.type, h.op = n.op;
  h.count = n.count;
  h.beats = static_cast<std::uint8_t>(beats_of(*t.packet));
  return h;
}

void AnsweredTable::apply(TableTransaction& t, const BeatHeader& h, const BeatAnswer& a) {
  t.answer = a.answer;
  t.count = a.count;
  t.next_timeout = a.deadline;
  switch (t.command) {
    case Command::push:
      push(t, h, a);
      break;
    case Command::allocate:
      allocate(t, h, a);
      break;
    case Command::collect:
      collect(t, h, a);
      break;
    case Command::expire:
      expire(t, a);
      break;
    case Command::finish:
      finish(t, h);
      break;
  }
}

unsigned AnsweredTable::leaving_beats(const TableTransaction& t, const BeatAnswer& a) const {
  const bool completes = a.answer == Answer::completed, evicts = a.evicts;
  if (!completes && !evicts) return 0;
  const std::uint32_t number = evicts ? a.evicted_entry : a.entry;
  require(number < entries_.size(), "has no entry " + std::to_string(number));
  const Packet* const first = entries_[number].packet;
  if (first != nullptr) return beats_of(*first);
  return completes && t.packet != nullptr ? beats_of(*t.packet) : 0;
}

// ---- answers

void AnsweredTable::push(TableTransaction& t, const BeatHeader& h, const BeatAnswer& a) {
  if (a.answer == Answer::bypassed) return misses(t.now, h.tag);
  if (a.answer != Answer::inserted) {
    require(a.answer == Answer::merged || a.answer == Answer::completed, "returns an illegal answer to a push");
    return merge(t, entry(a.entry, State::push, h.tag), h, a);
  }
  send_data(*t.packet);
  if (a.evicts) {
    t.evicted = evict(Kind::evicted, a.evicted_entry, a, t.now);
    evictions(t.now, nv(*t.evicted).address / block_bytes);
  }
  occupy(a.entry, {State::push, t.packet, h.tag, TableTransaction::no_requester, h.count, h.expected}, t.now);
}

void AnsweredTable::allocate(const TableTransaction& t, const BeatHeader& h, const BeatAnswer& a) {
  if (a.answer == Answer::inserted) return occupy(a.entry, {State::pull, nullptr, h.tag, h.requester, 0, h.expected}, t.now);
  require(a.answer == Answer::refused, "returns an illegal answer to an allocation");
  (t.first_hop ? stalls : misses)(t.now, h.tag);
}

void AnsweredTable::collect(TableTransaction& t, const BeatHeader& h, const BeatAnswer& a) {
  if (a.answer == Answer::missed) return misses(t.now, h.tag);
  require(a.answer == Answer::merged || a.answer == Answer::completed, "returns an illegal answer to a response");
  Entry& e = entry(a.entry, State::pull, h.tag);
  require(e.requester == h.requester, "adds a response to an entry of another GPU");
  merge(t, e, h, a);
}

void AnsweredTable::merge(TableTransaction& t, Entry& e, const BeatHeader& h, const BeatAnswer& a) {
  const bool first = e.packet == nullptr;
  send_data(*t.packet);
  if (first) e.packet = t.packet;
  e.count = static_cast<std::uint16_t>(e.count + h.count);
  if (!first) merges(t.now, h.tag);
  observe(Kind::merged, a.entry, t.packet, t.now);
  require(e.count <= e.expected, "is given more operands of block " + std::to_string(h.tag) + " than it expects");
  if (a.answer == Answer::completed) {
    require(e.count == e.expected && a.count == e.count, "completes block " + std::to_string(h.tag) + " with " +
                                                             std::to_string(a.count) + " operands, but received " +
                                                             std::to_string(e.count) + " of " + std::to_string(e.expected));
    receive_data(*e.packet);
    observe(Kind::completed, a.entry, nullptr, t.now);
    t.result = std::exchange(e.packet, nullptr);
    e.state = State::completing;
    completions(t.now, h.tag);
  }
  if (!first) t.packet->release();
}

void AnsweredTable::expire(TableTransaction& t, const BeatAnswer& a) {
  if (!a.evicts) return require(a.answer == Answer::nothing, "answers an expire as an eviction, but names no evicted entry");
  t.evicted = evict(Kind::timed_out, a.evicted_entry, a, t.now);
  timeouts(t.now, nv(*t.evicted).address / block_bytes);
}

Packet* AnsweredTable::evict(Kind why, std::uint32_t number, const BeatAnswer& a, Tick now) {
  require(number < entries_.size() && entries_[number].state == State::push, "evicts an entry that does not hold a push");
  Entry& e = entries_[number];
  require(a.count == e.count, "evicts block " + std::to_string(e.block) + " with " + std::to_string(a.count) +
                                  " operands, but received " + std::to_string(e.count));
  receive_data(*e.packet);
  observe(why, number, nullptr, now);
  Packet* const packet = std::exchange(e.packet, nullptr);
  release(number, now);
  return packet;
}

void AnsweredTable::finish(const TableTransaction& t, const BeatHeader& h) {
  const auto e = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) {
    return one.state == State::completing && one.block == h.tag && one.requester == h.requester;
  });
  require(e != entries_.end(), "has not completed block " + std::to_string(h.tag) + ", whose sum has left");
  release(static_cast<std::uint32_t>(e - entries_.begin()), t.now);
}

// ---- entries, by what has been answered

AnsweredTable::Entry& AnsweredTable::entry(std::uint32_t number, State state, std::uint64_t block) {
  require(number < entries_.size(), "has no entry " + std::to_string(number));
  Entry& e = entries_[number];
  require(e.state == state && e.block == block,
          "adds block " + std::to_string(block) + " to entry " + std::to_string(number) + ", which holds another");
  return e;
}

void AnsweredTable::occupy(std::uint32_t number, const Entry& e, Tick now) {
  require(number < entries_.size() && entries_[number].state == State::free,
          "gives block " + std::to_string(e.block) + " entry " + std::to_string(number) + ", which is not free");
  entries_[number] = e;
  occupancy_probe(now, ++occupancy_);
  allocations(now, e.block);
  observe(Kind::allocated, number, e.packet, now);
}

void AnsweredTable::release(std::uint32_t number, Tick now) {
  occupancy_probe(now, --occupancy_);
  observe(Kind::freed, number, nullptr, now);
  entries_[number] = {};
}

// The table holds the partial sum; it is visible only when it leaves.
void AnsweredTable::observe(Kind kind, std::uint32_t number, const Packet* operand, Tick now) const {
  if (!events.observed()) return;
  const Entry& e = entries_[number];
  const bool leaves = kind == Kind::completed || kind == Kind::evicted || kind == Kind::timed_out;
  ReductionEvent event;
  event.kind = kind;
  event.entry = number;
  event.block = e.block;
  event.count = e.count, event.expected = e.expected;
  if (e.packet != nullptr) event.type = nv(*e.packet).type;
  if (e.packet != nullptr && leaves) event.value = e.packet->payload;
  if (operand != nullptr) {
    event.source = nv(*operand).source, event.operands = nv(*operand).count;
    event.operand = operand->payload;
  }
  events(now, event);
}

void AnsweredTable::require(bool holds, const std::string& what) const {
  if (!holds) throw std::logic_error(name_ + " " + what);
}

std::vector<std::string> AnsweredTable::waiting() const {
  std::vector<std::string> lines;
  for (const Entry& e : entries_)
    if (e.state != State::free)
      lines.push_back("block " + std::to_string(e.block) + " has " + std::to_string(e.count) + " of " +
                      std::to_string(e.expected) + " operands" +
                      (e.state == State::pull ? " for gpu" + std::to_string(e.requester) : ""));
  return lines;
}

void AnsweredTable::forget() {
  for (Entry& e : entries_)
    if (e.packet != nullptr) e.packet->release();
  std::fill(entries_.begin(), entries_.end(), Entry{});
  occupancy_ = 0;
}

}  // namespace tributary
