#pragma once
/// AcceleratorMemory: bytes of the buffers of an accelerator (docs/blocks/accelerator.md#memory).

#include <cstdint>
#include <vector>

#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/aggregation_ring.h"

namespace tributary {

struct AcceleratorMemory {
  std::uint64_t payload = 0, headers = 0, state = 0, value = 0;  ///< slots of rings
  std::uint64_t queues = 0;                                      ///< finite FIFOs and queues of ports
  std::uint64_t bytes() const { return payload + headers + state + value + queues; }
  AcceleratorMemory& operator+=(const AcceleratorMemory& m);
  AcceleratorMemory operator*(std::uint64_t times) const;
  /// Returns the needs of a ring.
  static AcceleratorMemory of(const AggregationRing& ring, const AggregationParams& rules, SlotValue value);
  static AcceleratorMemory of_queues(const AcceleratorParams& params, unsigned ports);
};

/// Returns the number of messages for which `bytes` of memory have slots, whichever of the rings they belong to. Call with
/// at least one ring.
std::uint32_t shared_messages(const std::vector<AggregationRing>& rings, const AggregationParams& rules, SlotValue value,
                              std::uint64_t bytes);
/// Returns the memory of the slots of one message, of the ring that needs most.
AcceleratorMemory memory_of_message(const std::vector<AggregationRing>& rings, const AggregationParams& rules,
                                    SlotValue value);

/// Returns the number of slots of a ring.
std::uint32_t slots_of(const AggregationRing& ring, const AggregationParams& rules);

}  // namespace tributary
