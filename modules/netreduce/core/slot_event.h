#pragma once
/// SlotEvent: what happens to a slot of an accelerator, as observers see it (docs/systems/netreduce.md#slots).

#include <cstddef>
#include <cstdint>

#include "modules/base/element.h"
#include "modules/base/probe.h"

namespace tributary {

/// The pointers hold during the call.
struct SlotEvent {
  enum class Kind : std::uint8_t {
    stored,     ///< a packet is kept, others are missing
    completed,  ///< the last one is kept: the slot is full
    duplicate,  ///< a packet comes again to a full slot
    added,      ///< the sum leaves the adders
    passed,     ///< past the slot: a result from above goes to the hosts of a leaf
    again,      ///< the sum leaves again
  };
  Kind kind = Kind::stored;
  bool whole = false;        ///< the sum is that of all ranks, not of a leaf's
  std::uint16_t ring = 0;    ///< RingID
  std::uint16_t source = 0;  ///< station whose packet has caused it
  std::uint16_t ranks = 0;   ///< that the slot waits for
  std::uint32_t message = 0, offset = 0;
  std::uint32_t slot = 0;    ///< its number in its ring
  std::uint32_t header = 0;  ///< row of the header buffer that the packet's header is kept in
  std::uint32_t psn = 0;     ///< of that packet
  std::uint64_t bitmap = 0;  ///< members whose packets the slot holds
  std::uint64_t member = 0;  ///< bit of the packet's own
  ElementType type = ElementType::f32;
  const std::byte* operand = nullptr;  ///< elements of the packet; null without data
  const std::byte* value = nullptr;    ///< of the sum; null without data, or while there is none
};

using SlotProbe = Probe<Tick, const SlotEvent&>;

}  // namespace tributary
