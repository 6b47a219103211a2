#include <algorithm>
#include <cstring>

#include "modules/netreduce/core/accelerator_core.h"

namespace tributary {

// ---- sums

/// All banks are read in parallel.
void AcceleratorCore::combine(const Commit& c, std::uint32_t slot) {
  const AggregationRing& ring = configs_[c.ring];
  RingState& state = states_[c.ring];
  CombineTransaction t;
  t.ring = c.ring;
  t.now = edge(std::max(c.when, state.slots[slot].operands_at));
  t.operands = ring.ranks();
  t.bytes = ring.mtu;
  t.skip = header_bytes(c.offset);
  t.type = ring.type;
  t.op = ring.op;
  if (config_.with_data) {
    operands_.resize(ring.ranks());
    const std::byte* const direct = parts_.payloads.direct();
    if (direct == nullptr) operand_bytes_.resize(std::size_t{ring.ranks()} * ring.mtu);
    for (unsigned m = 0; m < ring.ranks(); ++m) {
      operands_[m] =
          direct != nullptr ? direct + address(c.ring, slot, m) : operand_bytes_.data() + std::size_t{m} * ring.mtu;
      if (direct != nullptr) continue;
      const Tick takes =
          parts_.payloads.read(address(c.ring, slot, m), operand_bytes_.data() + std::size_t{m} * ring.mtu, ring.mtu, t.now);
      t.reading = std::max(t.reading, takes);
    }
    t.operand = operands_.data();
    t.sum = state.values.data() + std::size_t{slot} * ring.mtu;
  } else if (parts_.payloads.direct() == nullptr) {
    for (unsigned m = 0; m < ring.ranks(); ++m)
      t.reading = std::max(t.reading, parts_.payloads.read(address(c.ring, slot, m), nullptr, ring.mtu, t.now));
  }
  const Tick extra = parts_.combinator.access(t);
  state.slots[slot].value_at = edge(t.done + extra);
  state.latest_value = std::max(state.latest_value, state.slots[slot].value_at);
  if (__builtin_expect(slot_events_.observed(), 0)) show(SlotEvent::Kind::added, c, slot, 0, state.slots[slot].value_at);
}

const std::byte* AcceleratorCore::sum_of(unsigned ring, std::uint32_t slot) const {
  return config_.with_data ? states_[ring].values.data() + std::size_t{slot} * configs_[ring].mtu : nullptr;
}

/// A stored sum is read one beat in a cycle, faster than the port sends it; otherwise the slot goes through the combinator
/// again. Sums leave in the order in which their slots were committed. A stored sum must not overtake sums in the adders, or
/// its receiver would see a gap at each packet that is sent again.
void AcceleratorCore::emit_again(const Commit& c, const StateRecord::Verdict& v) {
  const RingState& state = states_[c.ring];
  reemissions_(c.when, c.offset);
  if (__builtin_expect(slot_events_.observed(), 0)) show(SlotEvent::Kind::again, c, v.slot, 0, c.when);
  if (config_.params.value == SlotValue::recomputed) {
    combine(c, v.slot);
    return emit(c, v, state.slots[v.slot].value_at);
  }
  emit(c, v, std::max(c.when, state.latest_value) + cycles(read_cycles));
}

// ---- output path

void AcceleratorCore::emit(const Commit& c, const StateRecord::Verdict& v, Tick value_at) {
  const AggregationRing& ring = configs_[c.ring];
  const Tick ready = value_at + cycles(config_.params.lookup_cycles + config_.params.mac_cycles);
  const std::byte* const sum = sum_of(c.ring, v.slot);
  if (ring.role != TreeRole::alone) return send_sums(c, v.slot, ready, sum);
  if (v.emission == StateRecord::Emission::sender) return send_result(c.ring, c.member, v.slot, c.offset, ready, sum);
  for (unsigned m = 0; m < ring.ranks(); ++m) send_result(c.ring, m, v.slot, c.offset, ready, sum);
}

/// A result has the header of its rank's gradient, and so the same PSN. Its ICRC is recomputed on departure.
void AcceleratorCore::send_result(unsigned ring, unsigned member, std::uint32_t slot, std::uint32_t offset, Tick ready,
                                  const std::byte* sum) {
  HeaderTransaction t;
  t.row = row(ring, slot, member);
  t.now = ready;
  const Tick extra = parts_.headers.access(t);
  Packet* const frame = frame_of(t.entry.header.kind, t.entry.payload_bytes, sum, header_bytes(offset), t.entry.born);
  roce(*frame) = t.entry.header;
  if (frame->payload != nullptr && offset == 0) copy_header_bytes(ring, slot, member, frame->payload);
  push(configs_[ring].members[member].port, frame, edge(ready + extra));
}

/// Copies the aggregation header as the sender has sent it.
void AcceleratorCore::copy_header_bytes(unsigned ring, std::uint32_t slot, unsigned member, std::byte* to) {
  const std::byte* const direct = parts_.payloads.direct();
  if (direct != nullptr)
    std::memcpy(to, direct + address(ring, slot, member), AggregationHeader::bytes);
  else
    parts_.payloads.read(address(ring, slot, member), to, AggregationHeader::bytes, 0);
}

Packet* AcceleratorCore::frame_of(FrameKind kind, unsigned payload_bytes, const std::byte* sum, unsigned skip, Tick born) {
  Packet* const frame = make_frame(pool_, kind, payload_bytes, sum != nullptr);
  frame->born = born;
  frame->vc = roce_class;
  if (frame->payload == nullptr) return frame;
  if (skip != 0) std::memset(frame->payload, 0, skip);
  std::memcpy(frame->payload + skip, sum + skip, payload_bytes - skip);
  return frame;
}

void AcceleratorCore::push(unsigned port, Packet* frame, Tick ready) {
  const unsigned beat = static_cast<unsigned>(config_.params.beat.value);
  const unsigned bytes = EthernetFrame::bytes(roce(*frame).kind, frame->payload_bytes);
  links_.push(port, frame, frame->vc, ready, ready + cycles((bytes + beat - 1) / beat));
}

}  // namespace tributary
