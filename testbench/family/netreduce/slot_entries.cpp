#include "testbench/family/netreduce/slot_entries.h"

namespace tributary {

SlotEntries::SlotEntries(const ProbeDirectory& probes, unsigned message_packets) : message_packets_(message_packets) {
  probes.for_each<SlotProbe>([&](const std::string& probe, SlotProbe& slots) {
    slots.attach(&taps_.emplace_back(this, probe), [](void* observer, Tick time, const SlotEvent& event) {
      Tap& tap = *static_cast<Tap*>(observer);
      tap.all->on_slot(tap, time, event);
    });
  });
}

std::vector<EntrySource> SlotEntries::sources() {
  const auto name = [](std::uint32_t entry) {
    return "ring " + std::to_string(ring_of(entry)) + " slot " + std::to_string(entry & ((1u << slot_bits) - 1));
  };
  std::vector<EntrySource> sources;
  for (Tap& tap : taps_) sources.push_back({tap.probe, &tap.events, name});
  return sources;
}

void SlotEntries::reset() {
  for (Tap& tap : taps_) tap.open.clear();
}

void SlotEntries::on_slot(Tap& tap, Tick time, const SlotEvent& slot) const {
  using Kind = SlotEvent::Kind;
  ReductionEvent e;
  e.entry = (std::uint32_t{slot.ring} << slot_bits) + slot.slot;
  e.block = std::uint64_t{slot.message} * message_packets_ + slot.offset;
  e.type = slot.type;
  if (slot.kind == Kind::stored || slot.kind == Kind::completed) {
    std::uint64_t& members = tap.open[e.entry];
    if ((members & slot.member) != 0) return;
    e.kind = members == 0 ? ReductionEvent::Kind::allocated : ReductionEvent::Kind::merged;
    members |= slot.member;
    e.source = slot.source, e.operand = slot.operand;
    tap.events(time, e);
  } else if (slot.kind == Kind::added && tap.open.erase(e.entry) != 0) {
    e.value = slot.value;
    for (const auto kind : {ReductionEvent::Kind::completed, ReductionEvent::Kind::freed})
      e.kind = kind, tap.events(time, e);
  }
}

}  // namespace tributary
