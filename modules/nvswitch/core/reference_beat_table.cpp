#include "modules/nvswitch/core/reference_beat_table.h"

#include <algorithm>
#include <cstring>

namespace tributary {
using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

BeatTable::Out ReferenceBeatTable::clock(const In& in) {
  Out out;
  if (in.header_valid) {
    out.answer = decide(in.header);
    out.answer_valid = true;
  } else {
    if (in.data_valid) data_beat(in.data, out);
    leave(out);  // an evicted sum is returned while the operand that replaces it is received
  }
  return out;
}

BeatAnswer ReferenceBeatTable::decide(const BeatHeader& h) {
  BeatAnswer a;
  header_ = h;
  into_ = none;
  adds_ = completes_ = false;
  beat_ = leaving_beats_ = left_ = 0;
  switch (h.command) {
    case Command::push:
      push(h, a);
      break;
    case Command::allocate:
      allocate(h, a);
      break;
    case Command::collect:
      collect(h, a);
      break;
    case Command::expire:
      expire(h, a);
      break;
    case Command::finish:
      finish(h);
      break;
  }
  const std::uint32_t oldest = oldest_push();
  a.deadline = oldest == none ? never : entries_[oldest].stamp + timeout_;
  return a;
}

template <class Wanted>
std::uint32_t ReferenceBeatTable::find(Wanted&& wanted) const {
  const auto it = std::find_if(entries_.begin(), entries_.end(), wanted);
  return it == entries_.end() ? none : static_cast<std::uint32_t>(it - entries_.begin());
}

std::uint32_t ReferenceBeatTable::oldest_push() const {
  std::uint32_t oldest = none;
  for (std::uint32_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].state == State::push && (oldest == none || entries_[i].used < entries_[oldest].used)) oldest = i;
  return oldest;
}

void ReferenceBeatTable::push(const BeatHeader& h, BeatAnswer& a) {
  std::uint32_t entry = find([&](const Entry& e) { return e.state == State::push && e.tag == h.tag; });
  if (entry != none) return take(entry, h, a);
  entry = find([](const Entry& e) { return e.state == State::free; });
  if (entry == none) {
    entry = oldest_push();
    if (entry == none) {
      a.answer = Answer::bypassed;
      return;
    }
    evict(entry, a);
  }
  Entry& e = entries_[into_ = a.entry = entry];
  e = {};
  e.state = State::push, e.fresh = false;
  e.tag = h.tag, e.requester = TableTransaction::no_requester;
  e.count = h.count, e.expected = h.expected, e.beats = h.beats;
  e.stamp = h.time, e.used = ++uses_;
  a.answer = Answer::inserted;
}

void ReferenceBeatTable::allocate(const BeatHeader& h, BeatAnswer& a) {
  const std::uint32_t entry = find([](const Entry& e) { return e.state == State::free; });
  if (entry == none) {
    a.answer = Answer::refused;
    return;
  }
  Entry& e = entries_[a.entry = entry];
  e = {};
  e.state = State::pull;
  e.tag = h.tag, e.requester = h.requester, e.expected = h.expected;
  a.answer = Answer::inserted;
}

void ReferenceBeatTable::collect(const BeatHeader& h, BeatAnswer& a) {
  const std::uint32_t entry =
      find([&](const Entry& e) { return e.state == State::pull && e.tag == h.tag && e.requester == h.requester; });
  if (entry == none)
    a.answer = Answer::missed;
  else
    take(entry, h, a);
}

void ReferenceBeatTable::take(std::uint32_t entry, const BeatHeader& h, BeatAnswer& a) {
  Entry& e = entries_[into_ = a.entry = entry];
  adds_ = !e.fresh;
  if (e.fresh) e.beats = h.beats;
  e.fresh = false;
  e.count = static_cast<std::uint16_t>(e.count + h.count);
  e.stamp = h.time, e.used = ++uses_;
  completes_ = e.count >= e.expected;
  a.answer = completes_ ? Answer::completed : Answer::merged;
  if (!completes_) return;
  a.count = e.count;
  e.state = State::completing;
}

void ReferenceBeatTable::evict(std::uint32_t entry, BeatAnswer& a) {
  a.evicts = true;
  a.evicted_entry = entry;
  a.count = entries_[entry].count;
  leaving_ = entries_[entry].data;
  leaving_beats_ = entries_[entry].beats;
}

void ReferenceBeatTable::expire(const BeatHeader& h, BeatAnswer& a) {
  const std::uint32_t entry = oldest_push();
  if (entry == none || entries_[entry].stamp + timeout_ > h.time) return;
  evict(entry, a);
  a.entry = entry;
  a.answer = Answer::inserted;
  entries_[entry] = {};
}

void ReferenceBeatTable::finish(const BeatHeader& h) {
  const std::uint32_t entry =
      find([&](const Entry& e) { return e.state == State::completing && e.tag == h.tag && e.requester == h.requester; });
  if (entry != none) entries_[entry] = {};
}

void ReferenceBeatTable::data_beat(const Beat& in, Out& out) {
  Beat& kept = entries_[into_].data[beat_++];
  if (adds_)
    apply(header_.op, header_.type, &kept, &in, sizeof in);
  else
    kept = in;
  if (completes_) out.data = kept, out.data_valid = true;
}

void ReferenceBeatTable::leave(Out& out) {
  if (left_ == leaving_beats_) return;
  out.data = leaving_[left_++];
  out.data_valid = true;
}

void ReferenceBeatTable::reset() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  uses_ = 0;
  into_ = none;
  leaving_beats_ = left_ = 0;
}

}  // namespace tributary
