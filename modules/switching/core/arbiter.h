#pragma once
/// RoundRobin: round-robin arbitration over bit masks.

#include <cstdint>

#include "modules/base/bits.h"

namespace tributary {

/// Returns the index of the lowest set bit at or after `start`, wrapping around; `mask` must not be empty.
inline unsigned first_from(std::uint64_t mask, unsigned start) {
  const std::uint64_t above = start < 64 ? mask >> start << start : 0;
  return static_cast<unsigned>(__builtin_ctzll(above != 0 ? above : mask));
}

/// Grants requesters in turn: the requester after the last winner has priority, so none waits for more than one round.
class RoundRobin {
 public:
  unsigned pick(std::uint64_t requests) const { return first_from(requests, next_); }
  template <unsigned size>
  unsigned pick(const Bits<size>& requests) const {
    return requests.first_from(next_);
  }
  void granted(unsigned winner) { next_ = static_cast<std::uint16_t>(winner + 1); }

 private:
  std::uint16_t next_ = 0;
};

}  // namespace tributary
