#pragma once
/// The pending events of a device whose blocks each wait for one thing at a time: a slot per block, the earliest one first.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#include "modules/base/units.h"

namespace tributary {

/// 64 slots in 8 groups; events come in order of (time, slot). Setting a slot costs a store; the earliest event is found by
/// minima over the groups that have changed, without a branch to predict.
class EventSlots {
 public:
  static constexpr unsigned slot_bits = 6, count = 1u << slot_bits;

  EventSlots() { clear(); }

  /// The slot's event happens at `when`; `never`: it has none.
  void set(unsigned slot, Tick when) {
    assert(slot < count && (when == never || when < (Tick{1} << (64 - slot_bits))));
    words_[slot] = when == never ? never : when << slot_bits | slot;
    changed_ |= 1u << (slot / group_size);
  }
  Tick at(unsigned slot) const { return time_of(words_[slot]); }
  /// Moves the slot's event forward to `when`, if it lies later.
  void advance(unsigned slot, Tick when) {
    if (when < at(slot)) set(slot, when);
  }

  Tick next() { return time_of(earliest()); }
  unsigned next_slot() { return static_cast<unsigned>(earliest() % count); }
  void clear() {
    words_.fill(never);
    first_.fill(never);
    earliest_ = never;
    changed_ = 0;
  }

 private:
  static constexpr unsigned group_size = 8, groups = count / group_size;
  static Tick time_of(std::uint64_t word) { return word == never ? never : word >> slot_bits; }
  static std::uint64_t minimum(const std::uint64_t* w) {
    const std::uint64_t a = std::min(w[0], w[1]), b = std::min(w[2], w[3]);
    const std::uint64_t c = std::min(w[4], w[5]), d = std::min(w[6], w[7]);
    return std::min(std::min(a, b), std::min(c, d));
  }
  std::uint64_t earliest() {
    if (changed_ != 0) {
      for (; changed_ != 0; changed_ &= changed_ - 1) {
        const auto group = static_cast<unsigned>(__builtin_ctz(changed_));
        first_[group] = minimum(&words_[group * group_size]);
      }
      earliest_ = minimum(first_.data());
    }
    return earliest_;
  }

  alignas(64) std::array<std::uint64_t, count> words_;  // time, slot
  std::array<std::uint64_t, groups> first_;             // earliest of each group
  std::uint64_t earliest_;
  std::uint32_t changed_;  // groups
};

}  // namespace tributary
