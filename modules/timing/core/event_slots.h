#pragma once
/// EventSlots: the pending events of a device whose blocks each wait for one event: a slot per block, ordered by time.

#include <array>
#include <cassert>
#include <cstdint>

#include "modules/base/units.h"

namespace tributary {

/// A tournament tree of 2^bits slots, which orders events by (time, slot). A match between two slots is a branchless
/// minimum, as the winner cannot be predicted.
template <unsigned bits>
class EventSlots {
 public:
  static constexpr unsigned count = 1u << bits;

  EventSlots() { clear(); }

  /// Sets the time of the slot's event; `never` removes it.
  void set(unsigned slot, Tick when) {
    assert(slot < count && (when == never || when < (Tick{1} << (64 - bits))));
    unsigned node = count + slot;
    std::uint64_t winner = when == never ? never : when << bits | slot;
    words_[node] = winner;
    for (unsigned round = 0; round < bits; ++round) {
      const std::uint64_t other = words_[node ^ 1u];
      winner = other < winner ? other : winner;
      node >>= 1;
      words_[node] = winner;
    }
  }
  Tick at(unsigned slot) const { return time_of(words_[count + slot]); }
  /// Moves the slot's event to `when` if that is earlier.
  void advance(unsigned slot, Tick when) {
    if (when < at(slot)) set(slot, when);
  }

  Tick next() const { return time_of(words_[1]); }
  /// As next(), but without an event a value later than any time instead of `never`.
  Tick soonest() const { return words_[1] >> bits; }
  unsigned next_slot() const { return static_cast<unsigned>(words_[1] % count); }
  void clear() { words_.fill(never); }

 private:
  static Tick time_of(std::uint64_t word) { return word == never ? never : word >> bits; }

  alignas(64) std::array<std::uint64_t, 2 * count> words_;  // time and slot; node n holds the earlier of nodes 2n and 2n + 1
};

}  // namespace tributary
