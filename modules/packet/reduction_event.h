#pragma once
/// ReductionEvent: what happens to one entry of reduction state, as observers see it.

#include <cstddef>
#include <cstdint>

#include "modules/base/element.h"
#include "modules/base/probe.h"

namespace tributary {

/// An entry is one row of a reduction table in a switch, or the partial sum of one chunk in a NIC. The pointers hold during
/// the call.
struct ReductionEvent {
  enum class Kind : std::uint8_t {
    allocated,  ///< the entry belongs to `block` from now on; with its first operand, if that has come
    merged,     ///< an operand has been added, or kept to be added later
    completed,  ///< the last operand has come; the sum leaves
    evicted,    ///< the partial sum leaves to make room
    timed_out,  ///< the partial sum leaves because it has waited too long
    freed,      ///< the entry is free for another block
  };
  static constexpr std::uint16_t no_source = 0xFFFF;

  Kind kind = Kind::allocated;
  std::uint32_t entry = 0;
  std::uint64_t block = 0;     ///< block number (address / 128), or chunk
  std::uint16_t count = 0;     ///< operands so far
  std::uint16_t expected = 0;  ///< operands of a complete sum
  std::uint16_t source = no_source;
  ElementType type = ElementType::f32;
  std::uint16_t operands = 0;          ///< that the operand itself stands for: more than one in a partial sum
  const std::byte* operand = nullptr;  ///< data of the operand just added; null without data
  const std::byte* value = nullptr;    ///< data of the entry after it; null without data, or while operands are kept apart
};

using ReductionProbe = Probe<Tick, const ReductionEvent&>;

}  // namespace tributary
