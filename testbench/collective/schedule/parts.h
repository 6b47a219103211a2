#pragma once
/// Division of a message into one slice per rank, for data that is gathered, scattered or exchanged.

#include <algorithm>
#include <cstdint>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Slice i has (element count / ranks) elements; the first (count mod ranks) slices have one more. In memory slice i begins
/// at the i-th multiple of the largest slice, rounded up to whole blocks, so that any slice can be reduced and written
/// block by block.
class Parts {
 public:
  Parts(std::uint64_t message_bytes, std::uint64_t element_bytes, std::size_t ranks)
      : element_(element_bytes),
        ranks_(ranks),
        share_(message_bytes / element_bytes / ranks),
        longer_(message_bytes / element_bytes % ranks) {}

  std::uint64_t bytes(std::uint64_t i) const { return (share_ + (i < longer_ ? 1 : 0)) * element_; }
  std::uint64_t blocks(std::uint64_t i) const { return blocks_of(bytes(i)); }
  /// First element of slice i in a contiguous message.
  std::uint64_t first_element(std::uint64_t i) const { return i * share_ + std::min(i, longer_); }
  /// First block of slice i in memory.
  std::uint64_t first_block(std::uint64_t i) const { return i * blocks(0); }
  std::uint64_t address(std::uint64_t i) const { return first_block(i) * block_bytes; }
  /// Memory of all slices.
  std::uint64_t all_bytes() const { return address(ranks_); }

 private:
  std::uint64_t element_, ranks_, share_, longer_;
};

}  // namespace tributary::collective
