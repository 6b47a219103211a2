#include "modules/netreduce/core/accelerator_parts.h"

#include <utility>

#include "modules/base/waiting_since.h"

namespace tributary {

Tick SlotStates::access(SlotTransaction& t) {
  if (t.command == SlotTransaction::Command::begin) {
    const AggregationRing& c = *t.config;
    std::vector<std::uint16_t> ranks;
    for (const AggregationRing::Member& m : c.members) ranks.push_back(m.rank);
    if (t.ring == 0) reset();
    const StateRecord::Config config{c.ranks(), c.window, c.message_packets, c.role != TreeRole::alone, rules_};
    rings_.push_back({std::make_unique<StateRecord>(config), c.ring, std::move(ranks), c.role == TreeRole::root});
    return 0;
  }
  Ring& ring = rings_[t.ring];
  if (t.command == SlotTransaction::Command::slot) {
    t.verdict.slot = ring.record->slot_of(t.message, t.offset);
    t.current = ring.record->holds(t.message, t.verdict.slot);
    return 0;
  }
  t.verdict = ring.record->arrive(t.message, t.offset, t.member, t.now);
  t.bitmap = ring.record->bitmap(t.verdict.slot);
  show(ring, t.verdict, t.now);
  return 0;
}

void SlotStates::show(Ring& ring, const StateRecord::Verdict& v, Tick now) {
  const SignalProbe* const probes[] = {&stored_, &completed_, &duplicate_, &stale_, &refused_};
  (*probes[static_cast<unsigned>(v.arrival)])(now, v.slot);
  const unsigned filling = ring.record->filling(), done = ring.record->full();
  if (filling != std::exchange(ring.filling, filling) && filling_probe_.observed()) {
    filling_ = 0;
    for (const Ring& r : rings_) filling_ += r.filling;
    filling_probe_(now, filling_);
  }
  if (done != std::exchange(ring.done, done) && done_probe_.observed()) {
    done_ = 0;
    for (const Ring& r : rings_) done_ += r.done;
    done_probe_(now, done_);
  }
}

std::string SlotStates::text(const Ring& ring, const StateRecord::Waiting& w) const {
  std::string missing;
  unsigned count = 0;
  for (std::size_t i = 0; i < ring.ranks.size(); ++i)
    if ((w.missing >> i & 1) != 0) missing += (count++ == 0 ? " " : ", ") + std::to_string(ring.ranks[i]);
  const std::size_t all = ring.ranks.size();
  return "ring" + std::to_string(ring.number) + ": message " + std::to_string(w.message) + ", packet " +
         std::to_string(w.offset) + ": " + std::to_string(all - count) + " of " + std::to_string(all) +
         (ring.root ? " leaves, missing " : " ranks, missing ") +
         (ring.root ? (count == 1 ? "leaf" : "leaves") : (count == 1 ? "rank" : "ranks")) + missing + waiting_since(w.since);
}

std::vector<std::string> SlotStates::waiting() const {
  constexpr std::size_t shown = 4;
  std::vector<std::string> lines;
  for (const Ring& ring : rings_) {
    const std::vector<StateRecord::Waiting> slots = ring.record->waiting();
    for (std::size_t i = 0; i < slots.size() && i < shown; ++i) lines.push_back(text(ring, slots[i]));
    if (slots.size() > shown)
      lines.push_back("ring" + std::to_string(ring.number) + ": " + std::to_string(slots.size() - shown) + " more slots");
  }
  return lines;
}

void SlotStates::reset() {
  rings_.clear();
  filling_ = done_ = 0;
}

void SlotStates::describe(ProbeDirectory& directory, const std::string& prefix) {
  const auto strobe = [&](const char* name, SignalProbe& probe, const char* about) {
    directory.add_signal(prefix + "slot." + name, probe, SignalKind::strobe, 32, about);
  };
  strobe("stored", stored_, "a packet is stored, others are missing (slot)");
  strobe("completed", completed_, "the last packet of a slot has arrived (slot)");
  strobe("duplicate", duplicate_, "a packet arrives again at a full slot (slot)");
  strobe("stale", stale_, "a packet of an older message than its slot's is dropped (slot)");
  strobe("refused", refused_, "a packet with an unknown rank or offset is dropped (slot)");
  directory.add_signal(prefix + "slots.filling", filling_probe_, SignalKind::level, counter_bits,
                       "slots with packets of some ranks");
  directory.add_signal(prefix + "slots.done", done_probe_, SignalKind::level, counter_bits,
                       "slots with packets of all ranks");
}

}  // namespace tributary
