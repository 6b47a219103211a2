#pragma once
/// Division of a message into one slice per rank, for data that is gathered, scattered or exchanged.

#include <algorithm>
#include <cstdint>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Slice i has (element count / ranks) elements; the first (count mod ranks) slices have one more. In memory slice i begins
/// at the i-th multiple of the largest slice, rounded up to whole blocks, so that any slice can be reduced and written
/// block by block. A stride, in bytes, replaces that multiple: then the slices are pieces of longer ones.
class Parts {
 public:
  /// `stride_bytes`: whole blocks; 0: slices follow one another.
  Parts(std::uint64_t message_bytes, std::uint64_t element_bytes, std::size_t ranks, std::uint64_t stride_bytes = 0)
      : element_(element_bytes),
        ranks_(ranks),
        share_(message_bytes / element_bytes / ranks),
        longer_(message_bytes / element_bytes % ranks),
        stride_blocks_(stride_bytes / block_bytes) {}

  std::uint64_t bytes(std::uint64_t i) const { return (share_ + (i < longer_ ? 1 : 0)) * element_; }
  std::uint64_t blocks(std::uint64_t i) const { return blocks_of(bytes(i)); }
  /// First element of slice i in a contiguous message.
  std::uint64_t first_element(std::uint64_t i) const { return i * share_ + std::min(i, longer_); }
  /// First block of slice i in memory.
  std::uint64_t first_block(std::uint64_t i) const { return i * (stride_blocks_ != 0 ? stride_blocks_ : blocks(0)); }
  std::uint64_t address(std::uint64_t i) const { return first_block(i) * block_bytes; }
  /// Memory of all slices.
  std::uint64_t all_bytes() const { return address(ranks_); }

 private:
  std::uint64_t element_, ranks_, share_, longer_, stride_blocks_;
};

}  // namespace tributary::collective
