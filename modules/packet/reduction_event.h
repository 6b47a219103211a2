#pragma once
/// ReductionEvent: a state change of one entry of reduction state, for observers.

#include <cstddef>
#include <cstdint>

#include "modules/base/element.h"
#include "modules/base/probe.h"

namespace tributary {

/// An entry is one row of a reduction table in a switch, or the partial sum of one chunk in a NIC. The pointers are valid
/// during the call only.
struct ReductionEvent {
  enum class Kind : std::uint8_t {
    allocated,  ///< the entry is assigned to `block`, with its first operand if that has arrived
    merged,     ///< an operand has been added, or stored to be added later
    completed,  ///< the last operand has arrived; the sum is emitted
    evicted,    ///< the partial sum is emitted to free the entry
    timed_out,  ///< the partial sum is emitted after a timeout
    freed,      ///< the entry can be used by another block
  };
  static constexpr std::uint16_t no_source = 0xFFFF;

  Kind kind = Kind::allocated;
  std::uint32_t entry = 0;
  std::uint64_t block = 0;     ///< block number (address / 128), or chunk number
  std::uint16_t count = 0;     ///< operands so far
  std::uint16_t expected = 0;  ///< operands of a complete sum
  std::uint16_t source = no_source;
  ElementType type = ElementType::f32;
  std::uint16_t operands = 0;          ///< operands that `operand` contains: more than one in a partial sum
  const std::byte* operand = nullptr;  ///< data of the operand just added; null without data
  const std::byte* value =
      nullptr;  ///< data of the entry after the event; null without data, or while operands are stored separately
};

using ReductionProbe = Probe<Tick, const ReductionEvent&>;

}  // namespace tributary
