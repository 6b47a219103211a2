/// Observation of an accelerator: its probes, and its pending work.

#include "modules/netreduce/core/accelerator_core.h"

namespace tributary {

std::vector<std::string> AcceleratorCore::waiting() const {
  std::size_t frames = commits_.size();
  for (const auto& queue : arrivals_) frames += queue.size();
  if (frames == 0) return {};
  return {"pipeline: " + std::to_string(frames) + " frames"};
}

void AcceleratorCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  const auto strobe = [&](const char* name, SignalProbe& probe, const char* about) {
    directory.add_signal(prefix + name, probe, SignalKind::strobe, 24, about);
  };
  strobe("frames", frames_in_, "a frame is parsed (PSN)");
  strobe("bypassed", bypassed_, "a frame is returned unchanged to the switch (PSN)");
  strobe("dropped", dropped_, "a frame is dropped: it belongs to no ring here, or its first packet is missing (PSN)");
  strobe("fcs_errors", fcs_errors_, "a frame is dropped by a MAC: wrong FCS (PSN)");
  strobe("reemissions", reemissions_, "a sum is sent again (offset of its packet)");
  directory.add(prefix + "slot.events", slot_events_, "events of slots");
  directory.add(prefix + "fate", fate_, "frame that is dropped");
  strobe("ctt.miss", ctt_misses_, "a result lacks a connection to a host here (offset of its packet)");
}

/// Reports the effect of the packet of `c` on its slot.
void AcceleratorCore::show(SlotEvent::Kind kind, const Commit& c, std::uint32_t slot, std::uint64_t bitmap, Tick when) {
  const AggregationRing& ring = configs_[c.ring];
  SlotEvent e;
  e.kind = kind;
  e.whole = ring.role != TreeRole::leaf;
  e.ring = ring.ring;
  e.source = roce(*c.frame).source;
  e.ranks = static_cast<std::uint16_t>(ring.ranks());
  e.message = c.message, e.offset = c.offset, e.slot = slot;
  e.header = row(c.ring, slot, c.member);
  e.psn = roce(*c.frame).psn;
  e.bitmap = bitmap;
  e.member = std::uint64_t{1} << c.member;
  e.type = ring.type;
  const unsigned skip = header_bytes(c.offset);
  if (c.frame->payload != nullptr) e.operand = c.frame->payload + skip;
  const bool sum = kind == SlotEvent::Kind::added || kind == SlotEvent::Kind::again;
  if (sum && config_.with_data) e.value = sum_of(c.ring, slot) + skip;
  slot_events_(when, e);
}

}  // namespace tributary
