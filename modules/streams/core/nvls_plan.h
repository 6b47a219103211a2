#pragma once
/// NvlsPlan: pieces, slots and waits of the thread blocks of NVLS, equal at all ranks of a collective.

#include <cstdint>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// Bytes of the message that one head reduces in one step of one thread block.
struct NvlsRange {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
};

/// A step of the three groups of warps of a thread block: scatter, reduce, gather. Waits are numbers of steps of the same
/// thread block: that many flags of the other side must have been posted.
struct NvlsStep {
  std::uint32_t slot = 0;
  std::uint32_t first_range = 0;    ///< in NvlsPlan::ranges: one range for each head
  std::uint32_t scatter_sums = 0;   ///< scatter: sums of every head, whose operands were in the slots before
  std::uint32_t reduce_filled = 0;  ///< reduce: operands of every rank
  std::uint32_t reduce_taken = 0;   ///< reduce: results that every rank has taken from the slots before
  std::uint32_t gather_sums = 0;    ///< gather: sums of every head
};

struct NvlsPlan {
  std::uint32_t ranks = 0;
  std::uint32_t slots = 0;    ///< operands of each head and thread block; as many sums
  std::uint64_t chunk = 0;    ///< bytes of a slot
  std::uint32_t payload = 0;  ///< bytes of a load-reduce; a store has a block
  std::uint64_t window = 0;   ///< bytes of load-reduces in flight of a thread block
  bool registered = false;    ///< reduce works on the message itself
  bool loads = true;          ///< sums are loaded from the switches; false: reduce reads the message (all-gather)
  bool stores = true;         ///< and stored to all ranks; false: reduce writes them to the message (reduce-scatter)
  std::uint32_t kernels = 1;  ///< kernels, one after another: each has an equal part of the steps of each thread block
  std::uint64_t apart = 0;    ///< bytes from the message of a kernel to that of the next one
  std::vector<NvlsRange> ranges;
  std::vector<std::vector<NvlsStep>> blocks;  ///< steps by thread block

  const NvlsRange& range(const NvlsStep& step, std::uint32_t head) const { return ranges[step.first_range + head]; }
  /// Returns the address of an operand or a sum, from the first slot on (registered, or without such slots: from the
  /// message on).
  std::uint64_t operand_at(std::uint32_t block, const NvlsStep& step, std::uint32_t head) const {
    return registered || !loads ? range(step, head).offset : slot_at(block, head, step.slot);
  }
  std::uint64_t sum_at(std::uint32_t block, const NvlsStep& step, std::uint32_t head) const {
    return registered || !stores ? range(step, head).offset : slot_at(block, head, (loads ? slots : 0) + step.slot);
  }
  /// Returns the memory of all slots of a rank.
  std::uint64_t slot_bytes() const { return registered ? 0 : chunk * slots_of_head() * ranks * blocks.size(); }

 private:
  std::uint64_t slots_of_head() const { return std::uint64_t{slots} * (loads + stores); }
  std::uint64_t slot_at(std::uint32_t block, std::uint32_t head, std::uint32_t slot) const {
    return ((std::uint64_t{block} * ranks + head) * slots_of_head() + slot) * chunk;
  }
};

/// A posted flag: the number of steps of a thread block that are done.
struct NvlsFlag {
  enum class Kind : std::uint32_t {
    filled,  ///< to the heads: scatter has stored the operands
    summed,  ///< to all ranks: reduce has read the operands, and its sums are visible
    taken,   ///< to the heads: gather has read the sums
  };
  Kind kind = Kind::filled;
  std::uint32_t block = 0;
  std::uint32_t source = 0;  ///< rank
  std::uint32_t steps = 0;
};

}  // namespace tributary
