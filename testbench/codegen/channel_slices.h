#pragma once
/// Cuts messages into the ranges that channels carry.

#include <cstdint>

#include "testbench/collective/schedule/schedule.h"

namespace tributary {

struct MessageRange {
  std::uint64_t address = 0, bytes = 0;
};
/// Returns the i-th of `parts` ranges in whole blocks.
inline MessageRange part(const MessageRange& whole, std::uint64_t i, std::uint64_t parts) {
  const auto range = collective::chunk_range(static_cast<int>(i), static_cast<int>(parts), whole.bytes);
  return {whole.address + range.offset, range.bytes};
}
inline std::uint64_t parts_of_at_most(std::uint64_t bytes, std::uint64_t most) { return (bytes + most - 1) / most; }

}  // namespace tributary
