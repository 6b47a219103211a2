#include "modules/netreduce/core/accelerator_memory.h"

#include <optional>

#include "modules/netreduce/core/header_buffer.h"

namespace tributary {

std::uint32_t slots_of(const AggregationRing& ring, const AggregationParams& rules) {
  return (rules.slots == SlotCount::window ? ring.window : 2 * ring.window) * ring.message_packets;
}

AcceleratorMemory AcceleratorMemory::of(const AggregationRing& ring, const AggregationParams& rules, SlotValue value) {
  const std::uint64_t slots = slots_of(ring, rules);
  AcceleratorMemory m;
  m.payload = slots * ring.ranks() * ring.mtu;
  m.headers = slots * ring.ranks() * HeaderBuffer::entry_bytes;
  // Each slot has its message, a done bit, and two bits for each rank: has arrived, has arrived again in this round.
  m.state = (slots * (32 + 1 + 2 * ring.ranks()) + 7) / 8;
  m.value = value == SlotValue::stored ? slots * ring.mtu : 0;
  return m;
}

AcceleratorMemory AcceleratorMemory::of_queues(const AcceleratorParams& params, unsigned ports) {
  AcceleratorMemory m;
  for (const std::optional<Bytes>& each : {params.input_fifo, params.output_queue})
    if (each) m.queues += ports * each->value;
  return m;
}

AcceleratorMemory AcceleratorMemory::operator*(std::uint64_t times) const {
  return {payload * times, headers * times, state * times, value * times, queues * times};
}

AcceleratorMemory memory_of_message(const std::vector<AggregationRing>& rings, const AggregationParams& rules,
                                    SlotValue value) {
  AcceleratorMemory most;
  for (AggregationRing ring : rings) {
    AggregationParams of_window = rules;
    of_window.slots = SlotCount::window;
    ring.window = 1;
    const AcceleratorMemory m = AcceleratorMemory::of(ring, of_window, value);
    if (m.bytes() > most.bytes()) most = m;
  }
  return most;
}

std::uint32_t shared_messages(const std::vector<AggregationRing>& rings, const AggregationParams& rules, SlotValue value,
                              std::uint64_t bytes) {
  return static_cast<std::uint32_t>(bytes / memory_of_message(rings, rules, value).bytes());
}

AcceleratorMemory& AcceleratorMemory::operator+=(const AcceleratorMemory& m) {
  payload += m.payload, headers += m.headers, state += m.state, value += m.value, queues += m.queues;
  return *this;
}

}  // namespace tributary
