#pragma once
/// SlotEvent: an event of a slot of an accelerator, for observers (docs/systems/netreduce.md#slots).

#include <cstddef>
#include <cstdint>

#include "modules/base/element.h"
#include "modules/base/probe.h"

namespace tributary {

/// Its pointers are valid only during the call.
struct SlotEvent {
  enum class Kind : std::uint8_t {
    stored,     ///< a packet is stored, others are missing
    completed,  ///< the last packet is stored: the slot is full
    duplicate,  ///< a packet arrives again at a full slot
    added,      ///< the sum leaves the adders
    passed,     ///< a result from above bypasses the slot and goes to the hosts of a leaf
    again,      ///< the sum is sent again
  };
  Kind kind = Kind::stored;
  bool whole = false;        ///< the sum is that of all ranks, not of the ranks of one leaf
  std::uint16_t ring = 0;    ///< RingID
  std::uint16_t source = 0;  ///< station whose packet has caused the event
  std::uint16_t ranks = 0;   ///< number of ranks that the slot waits for
  std::uint32_t message = 0, offset = 0;
  std::uint32_t slot = 0;    ///< number of the slot in its ring
  std::uint32_t header = 0;  ///< row of the header buffer that stores the packet's header
  std::uint32_t psn = 0;     ///< PSN of that packet
  std::uint64_t bitmap = 0;  ///< bit mask of members whose packets the slot holds
  std::uint64_t member = 0;  ///< bit of the packet's member
  ElementType type = ElementType::f32;
  const std::byte* operand = nullptr;  ///< elements of the packet; null if only time is simulated
  const std::byte* value = nullptr;    ///< elements of the sum; null if there is none or only time is simulated
};

using SlotProbe = Probe<Tick, const SlotEvent&>;

}  // namespace tributary
