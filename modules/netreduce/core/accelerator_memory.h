#pragma once
/// AcceleratorMemory: bytes of the buffers of an accelerator (docs/blocks/accelerator.md#memory).

#include <cstdint>

#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/aggregation_ring.h"

namespace tributary {

struct AcceleratorMemory {
  std::uint64_t payload = 0, headers = 0, state = 0, value = 0;  ///< slots of rings
  std::uint64_t queues = 0;                                      ///< finite FIFOs and queues of ports
  std::uint64_t bytes() const { return payload + headers + state + value + queues; }
  AcceleratorMemory& operator+=(const AcceleratorMemory& m);
  /// Returns the needs of a ring.
  static AcceleratorMemory of(const AggregationRing& ring, const AggregationParams& rules, SlotValue value);
  static AcceleratorMemory of_queues(const AcceleratorParams& params, unsigned ports);
};

/// Returns the number of slots of a ring.
std::uint32_t slots_of(const AggregationRing& ring, const AggregationParams& rules);

}  // namespace tributary
