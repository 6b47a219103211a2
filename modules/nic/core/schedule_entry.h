#pragma once
/// ScheduleEntry: one row of a NIC's schedule table (Huang et al., ISCA 2021, IV-A and Figure 5).

#include <array>
#include <cstdint>

namespace tributary {

/// 200 bits in hardware: Op 8, FlowID 16, Parent 16, Children 4 x 16, Step 16, StartAddr 48, Size 32. Steps count from 1.
struct ScheduleEntry {
  static constexpr std::uint16_t nil = 0xffff;  ///< no node, no tree: all ones

  enum class Op : std::uint8_t {
    reduce,  ///< sends the chunk to the parent when the Reduces of all children have been added to it
    gather,  ///< sends it to the children when the parent's Gather has arrived; at the root when all Reduces have
    nop,     ///< sends nothing in this step: the lockstep counter runs for a chunk of `bytes`
  } op;
  std::uint16_t tree;
  std::uint16_t parent;
  std::array<std::uint16_t, 4> children;
  std::uint16_t step;
  std::uint64_t start;  ///< address of the chunk in the node's memory
  std::uint32_t bytes;
};

}  // namespace tributary
