#include "modules/netreduce/core/accelerator_parts.h"

#include <utility>

#include "modules/base/waiting_since.h"

namespace tributary {

Tick SlotStates::access(SlotTransaction& t) {
  if (__builtin_expect(t.command != SlotTransaction::Command::arrive, 0)) return access_other(t), 0;
  Ring& ring = rings_[t.ring];
  t.verdict = ring.record->arrive(t.message, t.offset, t.member, t.now);
  t.bitmap = ring.record->bitmap(t.verdict.slot);
  arrivals_[static_cast<unsigned>(t.verdict.arrival)](t.now, t.verdict.slot);
  if (__builtin_expect(filling_.observed() || full_.observed(), 0)) show_slots(t.now);
  return 0;
}

void SlotStates::access_other(SlotTransaction& t) {
  if (t.command == SlotTransaction::Command::begin) return begin(t.ring, *t.config);
  const StateRecord& record = *rings_[t.ring].record;
  t.verdict.slot = record.slot_of(t.message, t.offset);
  t.current = record.holds(t.message, t.verdict.slot);
}

void SlotStates::begin(unsigned index, const AggregationRing& c) {
  std::vector<std::uint16_t> ranks;
  for (const AggregationRing::Member& m : c.members) ranks.push_back(m.rank);
  if (index == 0) reset();
  const StateRecord::Config config{c.ranks(), c.window, c.message_packets, c.role != TreeRole::alone, rules_};
  rings_.push_back({std::make_unique<StateRecord>(config), c.ring, std::move(ranks), c.role == TreeRole::root});
}

void SlotStates::show_slots(Tick now) {
  Shown slots;
  for (const Ring& ring : rings_) slots.filling += ring.record->filling(), slots.full += ring.record->full();
  if (slots.filling != std::exchange(shown_.filling, slots.filling)) filling_(now, slots.filling);
  if (slots.full != std::exchange(shown_.full, slots.full)) full_(now, slots.full);
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
  shown_ = {};
}

void SlotStates::describe(ProbeDirectory& directory, const std::string& prefix) {
  const auto strobe = [&](const char* name, StateRecord::Arrival arrival, const char* about) {
    SignalProbe& probe = arrivals_[static_cast<unsigned>(arrival)];
    directory.add_signal(prefix + "slot." + name, probe, SignalKind::strobe, 32, about);
  };
  using Arrival = StateRecord::Arrival;
  strobe("stored", Arrival::stored, "a packet is stored, others are missing (slot)");
  strobe("completed", Arrival::completed, "the last packet of a slot has arrived (slot)");
  strobe("duplicate", Arrival::duplicate, "a packet arrives again at a full slot (slot)");
  strobe("stale", Arrival::stale, "a packet of an older message than its slot's is dropped (slot)");
  strobe("refused", Arrival::refused, "a packet with an unknown rank or offset is dropped (slot)");
  directory.add_signal(prefix + "slots.filling", filling_, SignalKind::level, counter_bits,
                       "slots with packets of some ranks");
  directory.add_signal(prefix + "slots.done", full_, SignalKind::level, counter_bits, "slots with packets of all ranks");
}

}  // namespace tributary
